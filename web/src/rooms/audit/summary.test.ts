import { describe, expect, it } from 'vitest';
import { periodAt, searchOfResource, searchOfUser } from './summary';

describe('the search behind a count', () => {
  it('has both ends of the period', () => {
    expect(periodAt(Date.parse('2026-11-20T12:00:00Z'), 24)).toEqual({
      start: '2026-11-19T12:00:00.000Z',
      end: '2026-11-20T12:00:00.000Z',
    });
  });

  it('tells users with an address from those without', () => {
    expect(searchOfUser('ann@acme.example')).toEqual({ user: 'ann@acme.example' });
    expect(searchOfUser('anonymous')).toEqual({
      query: 'actor.id:"anonymous" AND NOT actor.email:*',
    });
    expect(searchOfUser('a"b\\')).toEqual({ query: 'actor.id:"a\\"b\\\\" AND NOT actor.email:*' });
  });

  it('takes a star in an identifier for a star', () => {
    expect(searchOfResource('arn:aws:s3:::b')).toEqual({ resource_id: 'arn:aws:s3:::b' });
    expect(searchOfResource('route/*')).toEqual({ query: 'resource.id:"route/*"' });
  });
});
