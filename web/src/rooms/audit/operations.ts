// Operations of entries as a reader says them: what was done, in the past tense.
import { words } from '../../display/wording';

const DONE: Record<string, string> = {
  'recommendation.create': 'Recommended',
  'recommendation.refresh': 'Recommendation updated',
  'recommendation.execute': 'Execution requested',
  'recommendation.schedule': 'Scheduled',
  'recommendation.snooze': 'Snoozed',
  'recommendation.wake': 'Snooze ended',
  'recommendation.dismiss': 'Dismissed',
  'recommendation.reopen': 'Reopened',
  'recommendation.approve': 'All approvals given',
  'recommendation.expire': 'Expired',
  'recommendation.supersede': 'Superseded',
  'recommendation.feedback': 'Feedback given',
  'recommendation.tested': 'Tested',
  'recommendation.simulated': 'Simulated',
  'recommendation.verify': 'Verification started',
  'recommendation.succeed': 'Succeeded',
  'recommendation.fail': 'Failed',
  'recommendation.roll_back': 'Rolled back',
  'recommendation.release': 'Released',
  'approval.request': 'Approval requested',
  'approval.sign': 'Approved',
  'approval.reject': 'Rejected',
  'approval.delegate': 'Approval delegated',
  'approval.expire': 'Approval expired',
  'approval.remind': 'Reminder sent',
  'action.start': 'Change started',
  'action.succeed': 'Change completed',
  'action.fail': 'Change failed',
  'action.abort': 'Change aborted',
  'action.rollback': 'Rollback requested',
  'action.rolled_back': 'Rolled back',
  'action.watch': 'Effect measured',
  'action.saving_measure': 'Saving measured by the bill',
  'action.saving_end': 'Saving ended',
  'action.resume': 'Change resumed',
  'agent.create': 'Agent created',
  'agent.configure': 'Agent configured',
  'agent.delete': 'Agent deleted',
  'agent.run': 'Agent run',
  'rollout.create': 'Rollout started',
  'rollout.stop': 'Rollout stopped',
  'rollout.resume': 'Rollout resumed',
  'rollout.abort': 'Rollout aborted',
  'rollout.hold': 'Rollout on hold',
  'rollout.gate': 'Rollout gate checked',
  'rollout.complete': 'Rollout completed',
  'guardrails.put': 'Guardrails updated',
  'kill_switch.on': 'Kill switch turned on',
  'kill_switch.off': 'Kill switch turned off',
  'breaker.reset': 'Circuit breaker reset',
  'exclusion.create': 'Exclusion added',
  'exclusion.delete': 'Exclusion ended',
  'standing_approval.give': 'Standing approval given',
  'standing_approval.sign': 'Standing approval signed',
  'standing_approval.end': 'Standing approval ended',
  'model.retrain': 'Model retrained',
  'model.promote': 'Model promoted',
  'model.refuse': 'Model not promoted',
  'model.retire': 'Model retired',
  'predictive_rule.create': 'Rule created',
  'predictive_rule.modify': 'Rule changed',
  'predictive_rule.delete': 'Rule deleted',
  'predictive_rule.evaluate': 'Rule evaluated',
  'anomaly.detect': 'Anomaly detected',
  'anomaly.investigate': 'Anomaly investigated',
  'anomaly.recommend': 'Remedy looked for',
  'anomaly.execute': 'Response recorded',
  'anomaly.learn': 'Outcome learned',
  'anomaly.reopen': 'Anomaly reopened',
  'anomaly.acknowledge': 'Anomaly acknowledged',
  'anomaly.resolve': 'Anomaly resolved',
  'anomaly.feedback': 'Verdict saved',
  'anomaly_threshold.reset': 'Threshold reset',
};

/** Steps of plans: the noun, and what was done when it succeeded. */
const STEPS: Record<string, [noun: string, done: string]> = {
  stop: ['Stop', 'Stopped'],
  start: ['Start', 'Started'],
  modify: ['Change', 'Changed'],
  resize: ['Resize', 'Resized'],
  snapshot: ['Snapshot', 'Snapshot taken'],
  verify: ['Verification', 'Verified'],
  grow: ['Disk expansion', 'Disk expanded'],
  scale: ['Scaling', 'Scaled'],
  fail_over: ['Failover', 'Failed over'],
  replicate: ['Replication', 'Replicated'],
  isolate: ['Isolation', 'Isolated'],
  precondition: ['Precondition check', 'Precondition checked'],
  hold: ['Hold', 'Held'],
  change: ['Change', 'Changed'],
  delete: ['Deletion', 'Deleted'],
  tag: ['Tag change', 'Tags changed'],
};

const UNDONE: Record<string, string> = { pending: 'started', failed: 'failed', denied: 'refused' };

/** Action of an entry in words: "Stopped", "Stop failed", "Approved". */
export function doneInWords(operation: string, status?: string | null): string {
  const failed = status && UNDONE[status];
  const step = STEPS[operation];
  if (step) return failed ? `${step[0]} ${failed}` : step[1];
  const done = DONE[operation] ?? words(operation);
  return failed && status !== 'pending' && !done.toLowerCase().includes(failed)
    ? `${done}: ${failed}`
    : done;
}
