import { describe, expect, it } from 'vitest';
import { isPrincipal, isRole, newExternalId, trustPolicy } from './connect-aws';

describe('a role for Reeve', () => {
  it.each([
    ['123456789012', true],
    ['arn:aws:iam::123456789012:user/reeve', true],
    ['arn:aws:iam::123456789012:root', true],
    ['arn:aws-cn:sts::123456789012:assumed-role/x/y', true],
    ['12345', false],
    ['reeve', false],
    ['arn:aws:s3:::bucket', false],
  ])('principal %s: %s', (text, expected) => expect(isPrincipal(text)).toBe(expected));

  it.each([
    ['arn:aws:iam::123456789012:role/reeve', true],
    ['arn:aws:iam::123456789012:user/reeve', false],
  ])('role %s: %s', (text, expected) => expect(isRole(text)).toBe(expected));

  it('is assumed with the external id alone', () => {
    const id = newExternalId();
    expect(id).toMatch(/^[\w+=,.@:/-]{2,1224}$/);
    expect(trustPolicy('123456789012', id)).toMatchObject({
      Statement: [
        {
          Principal: { AWS: 'arn:aws:iam::123456789012:root' },
          Condition: { StringEquals: { 'sts:ExternalId': id } },
        },
      ],
    });
  });
});
