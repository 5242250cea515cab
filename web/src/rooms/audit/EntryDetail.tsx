export function EntryDetail() { return null; }
