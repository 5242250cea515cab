import { useQueryClient } from '@tanstack/react-query';
import type { ThreatList } from '../../../api/bodies';
import { plural } from '../../../display/amounts';
import { announceUndoable } from '../../../display/announceUndoable';
import { Remove } from '../../../display/Remove';
import { putThreatList, readThreatList, removeThreatList } from './queries';

/** Removes a list after asking, and keeps its text for as long as it can be taken back. */
export function RemoveList({ of: { name, indicator_count } }: { of: ThreatList }) {
  const queries = useQueryClient();
  const remove = async () => {
    const { indicators } = await readThreatList(name);
    await removeThreatList(name);
    announceUndoable(`“${name}” is removed.`, async () => {
      await putThreatList({ name, indicators });
      await queries.invalidateQueries({ queryKey: ['intelligence'] });
    });
  };
  return (
    <Remove
      what={name}
      room="intelligence"
      remove={remove}
      explain={`Stops checking entries against the ${plural(indicator_count, 'indicator')} of “${name}”. Anomalies found with it stay.`}
    />
  );
}
