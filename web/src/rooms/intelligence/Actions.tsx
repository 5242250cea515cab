export function Actions() { return null; }
