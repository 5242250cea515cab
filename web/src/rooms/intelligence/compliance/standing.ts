// Results and states of compliance in words.
import { count, plural } from '../../../display/amounts';
import type { Control, ResultCounts } from './queries';

export const STATES: Record<Control['state'], string> = {
  failed: 'Failing',
  excepted: 'Accepted',
  passed: 'Passing',
  unknown: 'Unknown',
  not_checked: 'Not checked',
  by_hand: 'Shown by people',
};

export const ANSWERS: Record<string, string> = {
  pass: 'Passes',
  fail: 'Fails',
  unknown: 'Unknown',
  not_applicable: 'Does not apply',
  excepted: 'Exception',
};

/** Results of checks in one line: what fails first, and nothing that is zero. */
export function counted({ fail, excepted, unknown, pass }: ResultCounts): string {
  const failed = fail - excepted;
  const parts = [
    failed > 0 && `${count(failed)} failed`,
    excepted > 0 && plural(excepted, 'exception'),
    unknown > 0 && `${count(unknown)} unknown`,
    pass > 0 && `${count(pass)} passed`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : 'No resource checked';
}

/** How many of a framework's controls need somebody. */
export function controlsLine(of: { failed: number; passed: number; by_hand: number }): string {
  return [
    `${plural(of.failed, 'control')} failing`,
    `${count(of.passed)} passing`,
    `${count(of.by_hand)} shown by people`,
  ].join(' · ');
}
