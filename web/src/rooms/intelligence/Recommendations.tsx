export function Recommendations() { return null; }
