import { expect, it } from 'vitest';
import { FORMATS, mappingOf, mappingText, sampleCurl } from './formats';

it('has a sample for every format', () => {
  for (const format of Object.keys(FORMATS) as (keyof typeof FORMATS)[]) {
    const command = sampleCurl(format, 'https://reeve.example/push', 'rva_1');
    expect(command).toContain("'Authorization: Bearer rva_1'");
    expect(command).toContain('Odd login');
  }
});

it('reads and writes a mapping', () => {
  const mapping = { id: 'alert.key', title: 'alert.what' };
  expect(mappingOf(mappingText(mapping))).toEqual(mapping);
  expect(mappingOf('nonsense\n= x\nid =')).toEqual({});
});
