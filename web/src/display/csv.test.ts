import { describe, expect, it, vi } from 'vitest';
import { cellText, csvOf, plainNumber, saveCsv, saveFile } from './csv';

describe('CSV of a table', () => {
  it('quotes what needs it, and runs no formulas', () => {
    expect(
      csvOf([
        ['Name', 'Cost'],
        ['a, "b"', '$1,234'],
        ['=1+1', '-5 %'],
        ['@sum', '-12.5'],
      ]),
    ).toBe('Name,Cost\r\n"a, ""b""","$1,234"\r\n\'=1+1,-5 %\r\n\'@sum,-12.5\r\n');
  });

  it('writes numbers as numbers, and nothing for what is not known', () => {
    expect(csvOf([[-199.5, 1240, true, null, undefined, Number.NEGATIVE_INFINITY]])).toBe(
      '-199.5,1240,true,,,\r\n',
    );
  });

  it.each([
    ['15,019', '15019'],
    ['-1,234.5', '-1234.5'],
    ['12', '12'],
    ['10,5', '10,5'],
    ['1,240 of 2,000', '1,240 of 2,000'],
  ])('%s as a number', (text, expected) => expect(plainNumber(text)).toBe(expected));

  it.each([
    ['<div><a>Stop vm-1</a><p>vm-1 · AWS</p></div>', 'Stop vm-1, vm-1 · AWS'],
    [
      '<span><time datetime="2026-05-03T10:00:00Z">2 hours ago</time></span>',
      '2026-05-03T10:00:00Z',
    ],
    ['<span>12\u00a0%</span>', '12 %'],
    ['', ''],
  ])('%s', (html, expected) => {
    const cell = document.createElement('td');
    cell.innerHTML = html;
    expect(cellText(cell)).toBe(expected);
  });
});

describe('saved files', () => {
  const bytes = async (save: () => void) => {
    let made: Blob | undefined;
    vi.stubGlobal('URL', {
      createObjectURL: (blob: Blob) => {
        made = blob;
        return '#file';
      },
      revokeObjectURL: () => undefined,
    });
    save();
    vi.unstubAllGlobals();
    const reader = new FileReader();
    const read = new Promise((done) => {
      reader.onload = done;
    });
    if (made) reader.readAsArrayBuffer(made);
    await read;
    return [...new Uint8Array(reader.result as ArrayBuffer)].slice(0, 4);
  };

  it('marks CSV as UTF-8, and adds nothing to the key of the log, which is read to the byte', async () => {
    expect(await bytes(() => saveCsv('a.csv', 'x'))).toEqual([0xef, 0xbb, 0xbf, 120]);
    expect(await bytes(() => saveFile('log.vkey', 'log', 'text/plain'))).toEqual([108, 111, 103]);
  });
});
