import { describe, expect, it } from 'vitest';
import { checkpointOf } from './checkpoint';

describe('checkpointOf', () => {
  it('reads a signed note', () => {
    expect(checkpointOf('reeve.local/log\n42\nq83v\n\n— reeve.local/log c2ln\n')).toEqual({
      origin: 'reeve.local/log',
      size: 42,
      root: 'q83v',
      signatures: ['— reeve.local/log c2ln'],
    });
  });

  it.each(['', 'origin only', 'origin\nmany\nroot\n'])('refuses %j', (note) =>
    expect(checkpointOf(note)).toBeUndefined(),
  );
});
