import { describe, expect, it } from 'vitest';
import { answerEach } from './bulk';

describe('answers to many recommendations', () => {
  it('answers each once, goes on after a failure and names what failed', async () => {
    const items = Array.from({ length: 11 }, (_, at) => ({ id: `r${at}`, title: `Stop vm-${at}` }));
    const asked: string[] = [];
    const progress: number[] = [];
    const refused = await answerEach(
      items,
      (id) => {
        asked.push(id);
        return id === 'r3' ? Promise.reject(new Error('it is being executed')) : Promise.resolve();
      },
      (done) => progress.push(done),
    );
    expect([...asked].sort()).toEqual(items.map(({ id }) => id).sort());
    expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(refused.map(({ id, title }) => [id, title])).toEqual([['r3', 'Stop vm-3']]);
    expect(refused[0]?.message).not.toBe('');
  });
});
