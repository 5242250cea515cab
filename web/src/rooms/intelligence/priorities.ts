/** Priorities of recommendations and severities of findings, the most urgent first. */
export const PRIORITY_ORDER = ['critical', 'high', 'medium', 'low'];
