import { describe, expect, it } from 'vitest';
import type { Entry } from '../../api/bodies';
import { submitterName, submitterOf } from './naming';

function entry(submitted_by?: Entry['submitted_by']): Entry {
  return { submitted_by } as Entry;
}

describe('who submitted an entry', () => {
  it.each([
    [undefined, 'Unknown submitter (recorded before Reeve noted it)', 'submitter unknown'],
    [{ type: 'reeve' }, 'Recorded by Reeve', 'recorded by Reeve'],
    [
      {
        type: 'token',
        id: 'u-1',
        email: 'alice@example.com',
        token_id: 't-1',
        token_name: 'ci-import',
        ip_address: '10.0.0.1',
      },
      'Submitted with token ci-import of alice@example.com from 10.0.0.1',
      'via ci-import',
    ],
    [
      { type: 'session', id: 'u-1', email: 'alice@example.com' },
      'Submitted by alice@example.com in a browser session',
      'via alice@example.com',
    ],
    [
      { type: 'local', id: 'uid 1000' },
      "Imported on Reeve's own machine by uid 1000",
      'imported locally',
    ],
  ])('%j', (by, sentence, name) => {
    expect(submitterOf(entry(by as never))).toBe(sentence);
    expect(submitterName(entry(by as never))).toBe(name);
  });
});
