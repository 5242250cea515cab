import { describe, expect, it } from 'vitest';
import { asProblem, fieldMessages, Problem, problemOf } from './problem';

describe('problems', () => {
  it('reads a problem with its fields', async () => {
    const problem = await problemOf(
      new Response(
        JSON.stringify({
          type: '/errors/invalid_fields',
          title: 'Some fields are not valid',
          status: 422,
          code: 'invalid_fields',
          detail: 'name: too long',
          errors: [{ field: 'name', code: 'too_long', message: 'too long' }],
        }),
        {
          status: 422,
          headers: { 'content-type': 'application/problem+json', 'retry-after': '7' },
        },
      ),
    );
    expect(problem).toMatchObject({ status: 422, code: 'invalid_fields', retryAfterSeconds: 7 });
    expect(fieldMessages(problem)).toEqual({ name: 'too long' });
  });

  it('shows what is wrong with an entry of a list at its list', () => {
    const errors = [
      {
        field: 'regions[1]',
        code: 'invalid_value' as const,
        message: '"Nowhere" is not a region name',
      },
    ];
    expect(
      fieldMessages(
        new Problem({ status: 422, code: 'invalid_fields', title: '', detail: '', errors }),
      ),
    ).toEqual({ regions: '"Nowhere" is not a region name' });
  });

  it.each(['<html>Bad gateway</html>', '{"message":"no code"}', ''])(
    'makes one of %j',
    async (text) => {
      const problem = await problemOf(new Response(text, { status: 502 }));
      expect(problem.code).toBe('unexpected_answer');
      expect(problem.detail).toContain('502');
    },
  );

  it('keeps problems and wraps anything else', () => {
    const given = new Problem({ status: 404, code: 'not_found', title: 'Not found', detail: '' });
    expect(asProblem(given)).toBe(given);
    expect(asProblem(new Error('broken')).detail).toBe('broken');
    expect(fieldMessages('broken')).toEqual({});
  });
});
