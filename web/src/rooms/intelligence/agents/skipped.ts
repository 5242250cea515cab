// Reasons of a run, in sentences: why a resource has no recommendation, and why a recommendation was not applied.
import { words } from '../../../display/wording';
import { guardrailPlace } from '../change/policy';
import { REASONS } from './dry-run';

/** Reasons of resources; what is missing here is shown by its code in words. */
const RESOURCES: Record<string, string> = {
  in_use: 'It is used',
  cpu_not_low: 'Its CPU is not low enough for a smaller size',
  cpu_not_throttled: 'Its CPU is not at its limit',
  cpu_in_use: 'Its CPU is used',
  cpu_bound: 'A smaller size would have too little CPU',
  network_bound: 'A smaller size would have too little network',
  network_in_use: 'Its network is used',
  disk_bound: 'A smaller size would have too little disk throughput',
  disk_ops_bound: 'A smaller size would have too few disk operations',
  disk_in_use: 'Its disk is used',
  memory_bound: 'A smaller size would have too little memory',
  thin_data: 'Too few days were measured',
  too_few_days: 'Too few days were measured',
  no_cpu_samples: 'Its CPU was not measured',
  not_measured: 'It was not measured',
  disk_not_measured: 'Its disk was not measured',
  members_unmeasured: 'Its members were not measured',
  too_young: 'It is too new',
  changing: 'It changed within the measured days',
  switched_off: 'The check is off in the settings of the agent',
  opted_out: 'Its tag reeve:ignore excludes it',
  not_cheaper: 'No change would be cheaper',
  no_smaller_size: 'There is no smaller size',
  no_larger_size: 'There is no larger size',
  size_unknown: 'Its size is not in the price catalogue',
  price_not_known: 'Its price is not known',
  group_member: 'Its scaling group decides about it',
  managed_by_service: 'A service of the cloud manages it',
  cloud_not_covered: 'Reeve does not judge resources of this kind in this cloud yet',
  kind_not_covered: 'This agent does not judge this kind of resource',
  type_not_covered: 'This agent does not judge this type',
  not_described: 'Its configuration was not read',
  relations_not_read: 'Its relations were not read',
  judged_by_account: 'It is judged with its whole account',
  works_at_night: 'It works at night',
  works_most_hours: 'It works most hours',
  used_at_other_times: 'It is used at other times',
  use_comes_again: 'Its use comes again',
  rhythm_unknown: 'Its rhythm is not known yet',
  spot: 'It runs on spot capacity',
  spot_already: 'It runs on spot capacity already',
  reserved: 'A reservation covers it',
  stopped: 'It is stopped',
  enough_members: 'Its group has the right number of members',
  tags_complete: 'Its tags are complete',
};

/** Reasons of recommendations beside those of a dry run. */
const RECOMMENDATIONS: Record<string, string> = {
  dismissed: 'It was dismissed',
  excluded: 'An exclusion covers it',
  executing: 'It is being carried out',
  found_by_another_agent: 'Another agent found it before',
  approval_requested: 'Approval was requested',
  could_not_begin: 'It could not begin; the log of the service has the reason',
  failed_before: 'It failed before',
  taken_back: 'It was rolled back before',
};

/** A reason as a sentence without its full stop. */
export function skippedInWords({ of, reason }: { of: string; reason: string }): string {
  if (of === 'resources') return RESOURCES[reason] ?? words(reason);
  if (reason.startsWith('blocked_'))
    return `Guardrail “${guardrailPlace(reason.slice('blocked_'.length)).name}” blocks it`;
  const text = RECOMMENDATIONS[reason] ?? REASONS[reason] ?? words(reason);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
