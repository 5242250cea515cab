// Tables as CSV files (RFC 4180).

/** A field of a CSV file. What is not known is empty. */
export type CsvValue = string | number | boolean | null | undefined;

/** The rows as a CSV file. Texts that a spreadsheet would run as a formula are quoted as text; numbers stay numbers. */
export function csvOf(rows: readonly (readonly CsvValue[])[]): string {
  return rows
    .map((row) => row.map(field).join(','))
    .join('\r\n')
    .concat('\r\n');
}

function field(value: CsvValue): string {
  if (value == null) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+(\s?%)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** The number that a whole cell is, without the commas of its thousands; other texts as they are. */
export function plainNumber(text: string): string {
  return /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replace(/,/g, '') : text;
}

/** The text of a rendered cell: its lines separated by commas, and times as they were written instead of "2 hours ago". */
export function cellText(cell: Element): string {
  const lines = [''];
  const write = (text: string) => {
    lines[lines.length - 1] += text;
  };
  const visit = (node: Node) => {
    if (node instanceof HTMLTimeElement && node.dateTime) write(node.dateTime);
    else if (node.nodeType === Node.TEXT_NODE) write(node.textContent ?? '');
    else if (
      node instanceof Element &&
      !node.matches('script, style, input, button.mantine-ActionIcon-root')
    ) {
      const block = node.matches('p, div, li, ul, section, dt, dd');
      if (block) lines.push('');
      node.childNodes.forEach(visit);
      if (block) lines.push('');
    }
  };
  cell.childNodes.forEach(visit);
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(', ');
}

/** Hands a CSV file to the browser to save. Its first character says that it is UTF-8, which Excel does not assume. */
export function saveCsv(name: string, text: string) {
  saveFile(name, `\uFEFF${text}`, 'text/csv;charset=utf-8');
}

/** Hands a text to the browser as a file to save, exactly as it is. */
export function saveFile(name: string, text: string, type: string) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
