// Quantities of settings arrive as text (`85%`, `5m`, `500GB`); forms edit the number.

/** The number of a percentage: 85 for `85%`. */
export const percentOf = (text: string) => Number.parseFloat(text);

export const asPercent = (value: number | string) => `${value}%`;
export const asSeconds = (value: number | string) => `${value}s`;
export const asHours = (value: number | string) => `${value}h`;
export const asGigabytes = (value: number | string) => `${value}GB`;
