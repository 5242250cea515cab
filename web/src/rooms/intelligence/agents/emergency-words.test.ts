import { expect, test } from 'vitest';
import type { EmergencyKind, StandingApproval } from '../../../api/bodies';
import { approvalState, preapprovalInWords } from './emergency-words';

const kind: EmergencyKind = {
  rule: 'auto_quarantine',
  description: 'Isolates a machine.',
  impact: 'high',
  preapproval: 'standing',
  signatures: ['director', 'security'],
  events: ['Observation "security threat" of Reeve'],
  can_approve: true,
};

test('a kind says whose signatures it needs, and what decides without them', () => {
  expect(preapprovalInWords(kind)).toBe(
    'A standing approval needs the signature of director and security, each by another person.',
  );
  expect(preapprovalInWords({ ...kind, signatures: [] })).toContain('one person who may approve');
  expect(preapprovalInWords({ ...kind, preapproval: 'configuration' })).toContain(
    "the agent's permission to apply changes automatically decides",
  );
});

test('an approval that is not in force says why', () => {
  const approval = { state: 'needs_signatures', missing: ['security'] } as StandingApproval;
  expect(approvalState(approval).explain).toContain('the signature of security is missing');
  expect(approvalState({ ...approval, state: 'outgrown' }).explain).toContain('widened');
  expect(approvalState({ ...approval, state: 'in_force' }).status).toBe('active');
});
