import { describe, expect, it } from 'vitest';
import { doneInWords } from './operations';

describe('operations in words', () => {
  it.each([
    ['guardrails.put', 'success', 'Guardrails updated'],
    ['guardrails.put', 'denied', 'Guardrails updated: refused'],
    ['stop', 'success', 'Stopped'],
    ['stop', 'pending', 'Stop started'],
    ['verify', 'failed', 'Verification failed'],
    ['approval.sign', 'success', 'Approved'],
    ['action.rolled_back', 'success', 'Rolled back'],
    ['recommendation.execute', 'pending', 'Execution requested'],
    ['anomaly.execute', 'success', 'Response recorded'],
    ['action.fail', 'failed', 'Change failed'],
    ['describe_instances', 'success', 'Describe instances'],
    ['ec2.RunInstances', undefined, 'Ec2 RunInstances'],
  ])('%s %s: %s', (operation, status, expected) =>
    expect(doneInWords(operation, status)).toBe(expected),
  );
});
