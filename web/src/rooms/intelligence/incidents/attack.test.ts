import { expect, it } from 'vitest';
import { attackOf, nextSteps, outcomeInWords } from './attack';

type Incident = Parameters<typeof attackOf>[0];
type Members = Parameters<typeof attackOf>[1];
const KEY = 'AKIA61116B8430AB8AFC';
const GROUP = 'sg-3d460e6edbcc3fdd6';

const activity = (given: object) => ({
  sign_ins: false,
  succeeded: 1,
  refused: 0,
  accounts: [],
  account_count: 1,
  more_accounts: false,
  addresses: [],
  succeeded_operations: [],
  refused_operations: [],
  resources: [],
  entry_ids: [],
  techniques: [],
  ...given,
});

const incident = {
  people: [
    { name: KEY, findings: 2, is_suspect: true },
    { name: 'olivia@acme.example', findings: 1, is_suspect: true },
    { name: 'wei@acme.example', findings: 1, is_suspect: false },
  ],
  assets: [
    { id: '417382906514', name: null, is_used: false },
    { id: GROUP, name: 'web', is_used: false },
  ],
  members: [
    { subject: 'address', subject_id: '203.0.113.130', entry_ids: ['e1', 'e2'] },
    { subject: 'principal', subject_id: KEY, entry_ids: ['e2', 'e3'] },
  ],
} as unknown as Incident;

const members = [
  {
    id: 'spray',
    recommended_action: 'Block 203.0.113.130 unless it is yours.',
    activity: activity({ sign_ins: true, refused: 30, succeeded: 0, addresses: ['203.0.113.130'] }),
  },
  {
    id: 'spray again',
    recommended_action: 'Block 203.0.113.130 unless it is yours.',
    activity: activity({ sign_ins: true, refused: 20, succeeded: 0, addresses: ['203.0.113.130'] }),
  },
  {
    id: 'key',
    recommended_action: 'Look at these entries.',
    remediation: {
      description: 'deactivate key of deploy: recommendation r-1',
      recommendation_id: 'r-1',
      has_plan: true,
    },
    activity: activity({
      addresses: ['203.0.113.33'],
      succeeded_operations: ['StopLogging'],
      refused_operations: ['CreateAccessKey'],
    }),
  },
  {
    id: 'port',
    recommended_action: 'Look at these entries.',
    activity: activity({
      addresses: ['203.0.113.33'],
      succeeded_operations: ['StopLogging', 'authorize_security_group_ingress'],
      resources: [GROUP, 'sg-1; rm -rf ~'],
    }),
  },
] as unknown as Members;

it('says who, from where, with what, on what, and how it ended', () => {
  const attack = attackOf(incident, members);
  expect(attack).toMatchObject({
    who: [KEY, 'olivia@acme.example'],
    tried: ['wei@acme.example'],
    from: ['203.0.113.130', '203.0.113.33'],
    credentials: [`Access key ${KEY}`, 'passwords at sign-in'],
    on: ['account 417382906514', 'web'],
    entries: ['e1', 'e2', 'e3'],
  });
  expect(outcomeInWords(attack)).toEqual([
    'Succeeded: StopLogging, authorize_security_group_ingress.',
    'Refused: CreateAccessKey.',
    '30 sign-ins failed, none succeeded.',
  ]);
});

it('names next steps: changes of Reeve, commands, and advice', () => {
  const steps = nextSteps(attackOf(incident, members), members);
  expect(steps[0]).toEqual({ text: 'Deactivate key of deploy.', recommendation: 'r-1' });
  const commands = steps.flatMap(({ command }) => (command ? [command.text] : []));
  expect(commands[0]).toContain(`--access-key-id ${KEY}`);
  expect(commands[1]).toContain(`--group-id ${GROUP}`);
  const texts = steps.map(({ text }) => text);
  expect(texts).toContain('Switch logging on again: StopLogging succeeded.');
  expect(texts).toContain(
    'End the sessions of olivia@acme.example and change the credentials, at your identity provider or cloud.',
  );
  expect(texts.filter((text) => text.startsWith('Block'))).toHaveLength(1);
});

it('puts nothing into a command that is no identifier of AWS', () => {
  const steps = nextSteps(attackOf(incident, members), members);
  expect(JSON.stringify(steps)).not.toContain('rm -rf');
});
