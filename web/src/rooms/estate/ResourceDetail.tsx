export function ResourceDetail() { return null; }
