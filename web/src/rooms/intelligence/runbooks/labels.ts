// Words of runbooks and of their outcomes.
import type { Outcome, Runbook } from './queries';

export const OUTCOMES: Record<Outcome, string> = {
  verifying: 'Being verified',
  effective: 'Helped',
  ineffective: 'Did not help',
  unverified: 'Not verified',
  failed: 'Failed',
  taken_back: 'Taken back',
};

/** The colour of an outcome, by the state that has it. */
export const COLOURS: Record<Outcome, string> = {
  verifying: 'verifying',
  effective: 'success',
  ineffective: 'failed',
  unverified: 'unknown',
  failed: 'failed',
  taken_back: 'dismissed',
};

/** The state of a runbook: of an open breaker first. */
export function stateOf(runbook: Runbook): { of: string; label: string } {
  const [open] = runbook.open_breakers;
  if (runbook.open_breakers.some((breaker) => !breaker.resource_id))
    return { of: 'failed', label: 'Breaker open' };
  if (open) return { of: 'blocked', label: `Breaker open on ${runbook.open_breakers.length}` };
  if (runbook.applications.some(({ outcome }) => outcome === 'verifying'))
    return { of: 'verifying', label: 'Being verified' };
  if (!runbook.change) return { of: 'advice_only', label: 'Advice only' };
  return { of: 'ready', label: 'Ready' };
}

/** A runbook to begin with. */
export const EXAMPLE = `name = "restart-leaking-service"
title = "its service uses up the memory"
description = "A service that is restarted by a document of Systems Manager."
kind = "virtual_machine"
provider = "aws"
priority = "high"
advice = "Look for what grows in the memory of the service."

# Every [[when]] has to hold.
[[when]]
metric = "memory_utilization"
statistic = "mean"     # mean, min or max
over = "15m"           # window of the statistic
above = 90.0           # or below
clears_at = 80.0       # the issue is over at this value
for = "30m"            # time above the limit before it is an issue

[[when]]
state = ["running"]

[remedy]
change = "run_document"
document = "reeve-restart-service"

[verify]
after = "1h"           # then the condition must hold no longer

[breaker]
failures = 2           # on one resource
of_all = 5             # on all resources
window = "7d"
open_for = "7d"

[[sample]]
name = "95 % for an hour and a half"
holds = true
metrics = { memory_utilization = [[95.0, 18]] }

[[sample]]
name = "60 %"
holds = false
metrics = { memory_utilization = [[60.0, 18]] }
`;
