import { Text } from '@mantine/core';
import { bytes, count, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { Panel } from '../../../display/Panel';
import type { TierContent } from './queries';

const NAMES: Record<string, string> = { hot: 'Hot', warm: 'Warm', cold: 'Cold' };

/** How much lies in each tier, and what is due there. */
export function Tiers({ tiers }: { tiers: TierContent[] }) {
  const missing = tiers.filter((tier) => tier.tier !== 'hot' && !tier.place);
  return (
    <Panel
      title="Tiers"
      note="Warm entries are searched like hot ones, a little slower. Cold ones are searched after a restore."
      flush
    >
      <DataTable
        bare
        label="Tiers"
        columns={COLUMNS}
        rows={tiers}
        rowId={(tier) => tier.tier}
        empty="No tier is known."
      />
      {missing.length > 0 && (
        <Text size="sm" className="muted" p="md">
          No place is configured for {missing.map((tier) => tier.tier).join(' and ')}: entries stay
          where they are, searchable, until their whole period has passed. An operator names a
          folder or bucket in the section tiers of the configuration.
        </Text>
      )}
    </Panel>
  );
}

const COLUMNS: Column<TierContent>[] = [
  { id: 'tier', header: 'Tier', lead: true, cell: (tier) => NAMES[tier.tier] ?? tier.tier },
  {
    id: 'place',
    header: 'Place',
    cell: (tier) => tier.place ?? (tier.tier === 'hot' ? 'Local disk' : 'Not configured'),
  },
  { id: 'entries', header: 'Entries', cell: (tier) => count(tier.entries) },
  { id: 'size', header: 'Size', cell: (tier) => bytes(tier.bytes) },
  {
    id: 'due',
    header: 'Due to move here',
    cell: (tier) =>
      tier.due.entries === 0
        ? 'nothing'
        : `${plural(tier.due.entries, 'entry', 'entries')}, ${bytes(tier.due.bytes)}`,
  },
];
