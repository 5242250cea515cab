import { bytes, plural } from '../../../display/amounts';
import type { Erasure } from './queries';

/** The restore from the cold tier that an erasure needs, as text. */
export const neededRestore = (needed: NonNullable<Erasure['needed_restore']>) =>
  `${plural(needed.segments, 'segment')}, ${bytes(needed.bytes)}, from ${needed.start_time} to ${needed.end_time}`;
