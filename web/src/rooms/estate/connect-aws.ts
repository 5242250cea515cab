// The documents with which a role for Reeve is created in AWS.

export const ROLE = 'reeve';

/** An identifier that a role asks for, so that no other customer of the same Reeve can have it assumed; letters that AWS allows. */
export function newExternalId(): string {
  // `randomUUID` is missing where the page is not served over TLS.
  return `reeve-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** An ARN of a user or role, or the number of an account. */
export function isPrincipal(text: string): boolean {
  return (
    /^\d{12}$/.test(text) ||
    /^arn:aws[\w-]*:(iam|sts)::\d{12}:(root|user\/.+|role\/.+|assumed-role\/.+)$/.test(text)
  );
}

export function isRole(text: string): boolean {
  return /^arn:aws[\w-]*:iam::\d{12}:role\/.+$/.test(text);
}

/** The trust policy of the role: who may assume it, and with which external id. */
export function trustPolicy(principal: string, external_id: string): object {
  const arn = /^\d{12}$/.test(principal) ? `arn:aws:iam::${principal}:root` : principal;
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: arn },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': external_id } },
      },
    ],
  };
}

/** The commands that create the role with both documents; run in the account that Reeve is to read. */
export function commands(): string {
  return [
    `aws iam create-role --role-name ${ROLE} --assume-role-policy-document file://trust.json`,
    `aws iam put-role-policy --role-name ${ROLE} --policy-name ${ROLE} --policy-document file://policy.json`,
    `aws iam get-role --role-name ${ROLE} --query Role.Arn --output text`,
  ].join('\n');
}

/** Fields of all steps. */
export interface ConnectValues {
  access: 'read' | 'change';
  principal: string;
  external_id: string;
  name: string;
  regions: string[];
  assume_role: string;
  how: string;
  credentials: { access_key_id: string; secret_access_key: string };
}
