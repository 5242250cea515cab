// Emergencies and standing approvals in words.
import type { EmergencyKind, StandingApproval } from '../../../api/bodies';
import { words } from '../../../display/wording';

/** Permission by which an emergency of a kind is applied. */
export function preapprovalInWords({ preapproval, signatures }: EmergencyKind): string {
  const needs = signatures.length
    ? `A standing approval needs the signature of ${signatures.map((one) => words(one).toLowerCase()).join(' and ')}, each by another person.`
    : 'A standing approval needs one person who may approve changes.';
  return preapproval === 'configuration'
    ? `${needs} Without one, the agent's permission to apply changes automatically decides, within all guardrails.`
    : needs;
}

interface State {
  label: string;
  /** Status whose color it has. */
  status: string;
  explain: string;
}

/** State of a standing approval, and what follows from it. */
export function approvalState({ state, missing }: StandingApproval): State {
  switch (state) {
    case 'in_force':
      return { label: 'In force', status: 'active', explain: 'Applies at once.' };
    case 'needs_signatures':
      return {
        label: 'Needs signatures',
        status: 'pending',
        explain: `Not in force: the signature of ${missing.map((one) => words(one).toLowerCase()).join(' and ')} is missing.`,
      };
    case 'outgrown':
      return {
        label: 'Not in force',
        status: 'expired',
        explain:
          'Scope or limits of the agent were widened after it was given. End it and give another one.',
      };
    case 'ended':
      return { label: 'Ended', status: 'expired', explain: '' };
  }
}
