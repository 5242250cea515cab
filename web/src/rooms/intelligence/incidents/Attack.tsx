import { Anchor, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Anomaly } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { CodeBlock } from '../../../display/CodeBlock';
import { EntryLink } from '../../../display/EntryLink';
import { Facts } from '../../../display/Facts';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { sentence } from '../../../display/wording';
import { entriesQuery } from '../anomalies/entries';
import { anomaliesQuery } from '../anomalies/queries';
import { attackOf, nextSteps, outcomeInWords, type Attack as Facets, type Step } from './attack';
import type { Incident } from './queries';

/** Values of a fact that are named; the others are counted. */
const NAMED = 6;

/** What happened and what to do next, before the findings that say so in detail. */
export function Attack({ of: incident, acts }: { of: Incident; acts: boolean }) {
  const { data, error, refetch } = useQuery(anomaliesQuery({ incident: incident.id }));
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return <Shown of={incident} members={data.items} acts={acts} />;
}

function Shown({
  of: incident,
  members,
  acts,
}: {
  of: Incident;
  members: Anomaly[];
  acts: boolean;
}) {
  const attack = attackOf(incident, members);
  const steps = nextSteps(attack, members);
  if (attack.entries.length === 0 && steps.length === 0) return null;
  return (
    <>
      <WhatHappened of={attack} hidden={incident.people_hidden} />
      <NextSteps of={steps} playbooks={acts && incident.playbooks.length > 0} />
    </>
  );
}

function WhatHappened({ of: attack, hidden }: { of: Facets; hidden: number }) {
  const may = useMay();
  const outcome = outcomeInWords(attack);
  const calls = [...attack.succeeded, ...attack.refused];
  return (
    <Panel title="What happened">
      <Facts
        of={[
          ['Who', whoInWords(attack, hidden)],
          ['From', listed(attack.from)],
          [
            'Credentials',
            attack.credentials.length > 0
              ? sentence(attack.credentials.join('; '))
              : 'Not named in the findings. See the entries.',
          ],
          [
            'What',
            [listed(calls), attack.signIns && 'sign-ins'].filter(Boolean).join(', ') || undefined,
          ],
          ['On', listed(attack.on)],
          [
            'Outcome',
            outcome.length > 0 && (
              <Stack key="outcome" gap={2}>
                {outcome.map((text) => (
                  <span key={text}>{text.startsWith('Succeeded') ? <b>{text}</b> : text}</span>
                ))}
              </Stack>
            ),
          ],
          [
            'Entries',
            attack.entries.length > 0 &&
              (may('audit.search') ? (
                <Entries of={attack.entries} />
              ) : (
                count(attack.entries.length)
              )),
          ],
        ]}
      />
    </Panel>
  );
}

function listed(values: string[]): string | undefined {
  if (values.length === 0) return undefined;
  const more = values.length - NAMED;
  return `${values.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

function whoInWords({ who, tried }: Facets, hidden: number): string {
  return [
    listed(who) ?? 'Unknown: no account is known to be used',
    tried.length > 0 && `${plural(tried.length, 'account')} tried`,
    hidden > 0 && `${plural(hidden, 'account')} that your role does not show`,
  ]
    .filter(Boolean)
    .join('; ');
}

function Entries({ of: ids }: { of: string[] }) {
  const [first] = ids;
  if (first && ids.length === 1) return <EntryLink id={first}>Open the entry</EntryLink>;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link to="/audit/search" search={{ query: entriesQuery(ids) }} {...props} />
      )}
    >
      {plural(ids.length, 'entry', 'entries')} in the log
    </Anchor>
  );
}

function NextSteps({ of: steps, playbooks }: { of: Step[]; playbooks: boolean }) {
  if (steps.length === 0) return null;
  return (
    <Panel
      title="Next steps"
      note={
        playbooks
          ? 'Or run a playbook below: it does several of them, each with its approval.'
          : undefined
      }
    >
      <List type="ordered" size="sm" spacing="sm" aria-label="Next steps" pr="md">
        {steps.map((step) => (
          <List.Item key={step.text} style={{ overflowWrap: 'anywhere' }}>
            <Text span size="sm">
              {step.text} <StepLink of={step} />
            </Text>
            {step.command && <CodeBlock label={step.command.label} text={step.command.text} />}
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}

function StepLink({ of: { recommendation, anomaly } }: { of: Step }) {
  if (recommendation)
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/intelligence/recommendations/$id" params={{ id: recommendation }} {...props} />
        )}
      >
        Open recommendation
      </Anchor>
    );
  if (anomaly)
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/intelligence/anomalies/$id" params={{ id: anomaly }} {...props} />
        )}
      >
        Open finding
      </Anchor>
    );
  return null;
}
