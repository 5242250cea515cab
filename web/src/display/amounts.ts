// Numbers as people read them. Money arrives in dollars, shares in percent (0 to 100). Between a number and its sign stands a
// space that no line breaks at.

/** The currency that amounts are shown in, and its units for a dollar. */
let shown = { currency: 'USD', rate: 1 };
let forms = moneyForms('USD');

function moneyForms(currency: string) {
  return {
    whole: new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency,
      maximumFractionDigits: 0,
    }),
    exact: new Intl.NumberFormat('en-US', { style: 'currency', currency }),
  };
}

/** Shows amounts in a currency from now on. Without a rate they stay in dollars: nothing is converted by guess. */
export function showMoneyIn(currency: string, rate: number | null | undefined) {
  shown = currency !== 'USD' && rate ? { currency, rate } : { currency: 'USD', rate: 1 };
  forms = moneyForms(shown.currency);
}

const plain = new Intl.NumberFormat('en-US');
const oneDecimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

function formatted(amount: number, of: ReturnType<typeof moneyForms>): string {
  return Math.abs(amount) < 100 && amount !== 0 ? of.exact.format(amount) : of.whole.format(amount);
}

/** Dollars in the currency of the workspace. Cents below 100, whole units above. */
export function money(dollars: number | null | undefined): string {
  return dollars == null ? 'not known' : formatted(dollars * shown.rate, forms);
}

/** An amount in a currency of its own, as a bill has it; never converted. */
export function moneyOf(amount: number | null | undefined, currency: string): string {
  if (amount == null) return 'not known';
  try {
    return formatted(amount, moneyForms(currency));
  } catch {
    return `${plain.format(amount)}\u00a0${currency}`;
  }
}

export function percent(share: number | null | undefined): string {
  return share == null ? 'not known' : `${oneDecimal.format(share)}\u00a0%`;
}

export function count(number: number): string {
  return plain.format(number);
}

export function shortCount(number: number): string {
  return number < 10_000 ? plain.format(number) : short.format(number);
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${plain.format(number)} ${number === 1 ? one : many}`;
}

/** A value of a metric with its unit (`percent`, `bytes_per_second`, ...). */
export function measured(value: number, unit: string): string {
  if (unit === 'percent') return `${oneDecimal.format(value)}\u00a0%`;
  if (unit === 'bytes_per_second') return `${bytes(value)}/s`;
  if (unit === 'bytes') return bytes(value);
  if (unit === 'seconds')
    return Math.abs(value) < 1
      ? `${oneDecimal.format(value * 1000)}\u00a0ms`
      : `${oneDecimal.format(value)}\u00a0s`;
  if (unit === 'per_second') return `${oneDecimal.format(value)}/s`;
  return oneDecimal.format(value);
}

/** A size that the service counts in GiB. */
export function gibibytes(value: number): string {
  return bytes(value * 1024 ** 3);
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = Math.abs(value);
  let step = 0;
  while (size >= 1024 && step < units.length - 1) {
    size /= 1024;
    step += 1;
  }
  return `${value < 0 ? '-' : ''}${oneDecimal.format(size)}\u00a0${units[step]}`;
}
