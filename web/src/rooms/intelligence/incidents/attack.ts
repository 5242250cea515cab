// An incident as facts and next steps, from its findings: who, from where, with what, what they did, and what to do now.
import type { Anomaly } from '../../../api/bodies';
import { count, plural } from '../../../display/amounts';
import { sentence } from '../../../display/wording';
import type { Incident } from './queries';

type Activity = NonNullable<Anomaly['activity']>;
type Member = Pick<
  Anomaly,
  'id' | 'title' | 'activity' | 'remediation' | 'recommended_action' | 'resource'
>;

/** Identifiers of credentials of AWS. Commands name nothing else: what the log has may come from the attacker. */
const KEY = /^AKIA[A-Z0-9]{12,124}$/;
const TEMPORARY = /^ASIA[A-Z0-9]{12,124}$/;
const ACCOUNT = /^\d{12}$/;
const GROUP = /^sg-[0-9a-f]{8,17}$/;

const unique = (texts: string[]) => [...new Set(texts)];
const activitiesOf = (members: Member[]) =>
  members.flatMap(({ activity }) => (activity ? [activity] : []));

export interface Attack {
  /** Accounts that the attacker uses. */
  who: string[];
  /** Accounts that were only tried. */
  tried: string[];
  from: string[];
  credentials: string[];
  /** Calls that succeeded. */
  succeeded: string[];
  refused: string[];
  signIns: { failed: number; succeeded: number } | undefined;
  on: string[];
  /** Identifiers of the entries behind it. */
  entries: string[];
}

/** The facts of an incident. Two findings may cite the same calls: operations are named, and not counted. */
export function attackOf(
  incident: Pick<Incident, 'people' | 'assets' | 'members'>,
  members: Member[],
): Attack {
  const activities = activitiesOf(members);
  const calls = activities.filter(({ sign_ins }) => !sign_ins);
  const who = incident.people.filter(({ is_suspect }) => is_suspect).map(({ name }) => name);
  const signIns = signInsOf(activities);
  return {
    who,
    tried: incident.people.filter(({ is_suspect }) => !is_suspect).map(({ name }) => name),
    from: unique([
      ...activities.flatMap(({ addresses }) => addresses),
      ...incident.members.flatMap(({ subject, subject_id: id }) =>
        subject === 'address' && id ? [id] : [],
      ),
    ]),
    credentials: [
      ...who.filter((name) => KEY.test(name)).map((name) => `Access key ${name}`),
      ...who.filter((name) => TEMPORARY.test(name)).map((name) => `Temporary credentials ${name}`),
      ...(signIns ? ['passwords at sign-in'] : []),
    ],
    succeeded: unique(calls.flatMap(({ succeeded_operations: names }) => names)),
    refused: unique(calls.flatMap(({ refused_operations: names }) => names)),
    signIns,
    on: unique(
      incident.assets.map(({ id, name }) => name ?? (ACCOUNT.test(id) ? `account ${id}` : id)),
    ),
    entries: unique(incident.members.flatMap(({ entry_ids }) => entry_ids)),
  };
}

/** Sign-ins of all addresses; of two findings about one address the larger counts. */
function signInsOf(activities: Activity[]): Attack['signIns'] {
  const most = new Map<string, Activity>();
  for (const activity of activities.filter(({ sign_ins }) => sign_ins)) {
    const address = activity.addresses.join();
    const known = most.get(address);
    if (!known || activity.refused > known.refused) most.set(address, activity);
  }
  const all = [...most.values()];
  if (all.length === 0) return undefined;
  return {
    failed: all.reduce((sum, { refused }) => sum + refused, 0),
    succeeded: all.reduce((sum, { succeeded }) => sum + succeeded, 0),
  };
}

/** Sentences about how it ended, what succeeded first. */
export function outcomeInWords({ succeeded, refused, signIns }: Attack): string[] {
  return [
    succeeded.length > 0 && `Succeeded: ${succeeded.join(', ')}.`,
    refused.length > 0 && `Refused: ${refused.join(', ')}.`,
    signIns &&
      `${plural(signIns.failed, 'sign-in')} failed, ${signIns.succeeded > 0 ? `${count(signIns.succeeded)} succeeded` : 'none succeeded'}.`,
  ].filter((text) => typeof text === 'string');
}

export interface Step {
  text: string;
  /** Recommendation that makes the change. */
  recommendation?: string;
  /** Finding that the step is about. */
  anomaly?: string;
  command?: { label: string; text: string };
}

const deactivation = (key: string) =>
  `aws iam update-access-key --status Inactive --access-key-id ${key} \\
  --user-name "$(aws iam get-access-key-last-used --access-key-id ${key} \\
    --query UserName --output text)"`;

const rulesOf = (group: string) =>
  `aws ec2 describe-security-group-rules --filters Name=group-id,Values=${group}
aws ec2 revoke-security-group-ingress --group-id ${group} --security-group-rule-ids RULE`;

/** The next steps, most effective first: changes that Reeve can make, commands, and advice. */
export function nextSteps(attack: Attack, members: Member[]): Step[] {
  const remedies = new Map<string, Step>();
  for (const { remediation } of members) {
    const id = remediation?.recommendation_id;
    if (id) {
      const text = sentence(remediation.description.replace(`: recommendation ${id}`, ''));
      remedies.set(id, { text: `${text}.`, recommendation: id });
    }
  }
  const keys = attack.who.filter((name) => KEY.test(name));
  const opened = attack.succeeded.some((name) => /authorize_?security_?group_?ingress/i.test(name));
  const groups = unique(
    activitiesOf(members).flatMap(({ resources }) => resources.filter((id) => GROUP.test(id))),
  );
  const silenced = attack.succeeded.filter((name) => /^(stop_?logging|delete_?trail)$/i.test(name));
  const people = attack.who.filter((name) => !KEY.test(name) && !TEMPORARY.test(name));
  const steps: Step[] = [
    ...remedies.values(),
    ...keys.map((key) => ({
      text: `Deactivate access key ${key}, unless a recommendation above does that.`,
      command: { label: `Command that deactivates ${key}`, text: deactivation(key) },
    })),
    ...(opened ? groups : []).map((group) => ({
      text: `Find the rule that was added to ${group}, and revoke it by its identifier (sgr-…).`,
      command: { label: `Commands about ${group}`, text: rulesOf(group) },
    })),
    ...(silenced.length > 0
      ? [{ text: `Switch logging on again: ${silenced.join(' and ')} succeeded.` }]
      : []),
    ...people.map((name) => ({
      text: `End the sessions of ${name} and change the credentials, at your identity provider or cloud.`,
    })),
    ...members
      .filter(({ activity }) => activity?.sign_ins)
      .map(({ id, recommended_action }) => ({ text: recommended_action, anomaly: id })),
  ];
  return [...new Map(steps.map((step) => [step.text, step])).values()];
}
