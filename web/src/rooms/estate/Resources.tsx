export function Resources() { return null; }
