// Searches of the log that find the entries of an anomaly.

/** An entry is recorded after it happened: a search by time that begins with the anomaly would miss the entry that raised it. */
const TEN_MINUTES = 600_000;

/** Ten minutes before an instant. */
export const before = (at: string) => new Date(Date.parse(at) - TEN_MINUTES).toISOString();

/** The query for entries by their identifiers. */
export const entriesQuery = (ids: string[]) =>
  `event_id:(${ids.map((id) => `"${id}"`).join(' OR ')})`;

/** An anomaly that is over and was of little weight: it needs nobody. */
export const isNoise = ({ severity, status }: { severity: string; status: string }) =>
  severity === 'low' && status === 'resolved';
