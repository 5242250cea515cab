import { Anchor, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Page } from '../../../display/Page';
import { lazyComponent } from '../../../display/lazy';
import { OpenName } from '../../../display/OpenName';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Select } from '../../../display/Select';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { options } from '../../../display/wording';
import { PRIORITY_ORDER } from '../priorities';
import { proofColumns, resourceColumn } from '../evidence-columns';
import { Exception } from './Exception';
import { Yours } from './OwnChecks';
import { controlQuery, resultsQuery, type CheckResult, type ControlCheck } from './queries';
import { ANSWERS, counted, STATES } from './standing';

const CheckDialog = lazyComponent(() => import('./CheckDialog'), 'CheckDialog');

const route = getRouteApi('/app/intelligence/compliance/controls/$id');
const COLOURS: Record<string, string> = { pass: 'success', fail: 'failed', unknown: 'unknown' };

/** A control: the checks that prove it, and the resources that they judged. */
export function ControlDetail() {
  const { id } = route.useParams();
  const { data: one, error, refetch } = useQuery(controlQuery(id));
  const [check, setCheck] = useState<string>();
  const trail = (
    <Trail
      of={[
        ['Intelligence Automation', '/intelligence'],
        ['Compliance', '/intelligence/compliance'],
      ]}
    />
  );
  if (!one)
    return <Awaited title="Control" above={trail} error={error} onRetry={() => void refetch()} />;

  return (
    <Page
      title={`${one.number} ${one.title}`}
      browserTitle={[one.number, 'Compliance']}
      above={trail}
      description={`${one.framework_title}. ${STATES[one.state]}: ${counted(one.results)}.`}
    >
      {one.by_hand && (
        <Panel title="What people show">
          <Text size="sm">{one.by_hand}</Text>
        </Panel>
      )}
      {one.checks.length > 0 && (
        <Panel
          title="Checks"
          note={plural(one.checks.length, 'check proves', 'checks prove') + ' this control.'}
          flush
        >
          <DataTable
            bare
            label="Checks of the control"
            columns={checkColumns(setCheck)}
            rows={one.checks}
            rowId={(row) => row.id}
            pageSize={10}
            empty={null}
          />
        </Panel>
      )}
      {one.checks.length > 0 && <Results of={id} open={setCheck} />}
      {check && <CheckDialog id={check} onClose={() => setCheck(undefined)} />}
    </Page>
  );
}

function checkColumns(open: (id: string) => void): Column<ControlCheck>[] {
  return [
    {
      id: 'check',
      header: 'Check',
      cell: (row) => (
        <div style={{ minWidth: 200 }}>
          <OpenName onOpen={() => open(row.id)}>{row.title}</OpenName> {row.is_own && <Yours />}
          <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
            {row.id}
          </Text>
        </div>
      ),
    },
    {
      id: 'severity',
      header: 'Severity',
      sortBy: (row) => PRIORITY_ORDER.indexOf(row.severity),
      cell: (row) => <Status of={row.severity} />,
    },
    {
      id: 'failing',
      header: 'Failing resources',
      align: 'right',
      sortBy: (row) => row.results.fail,
      cell: (row) => count(row.results.fail - row.results.excepted),
    },
    { id: 'results', header: 'Results', cell: (row) => counted(row.results) },
  ];
}

function Results({ of: id, open }: { of: string; open: (check: string) => void }) {
  const [answer, setAnswer] = useState<string | null>('fail');
  const [severity, setSeverity] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(
    resultsQuery(id, answer ?? undefined, severity ?? undefined),
  );
  const may = useMay();
  return (
    <Panel
      title="Resources"
      note={data && plural(data.total, 'result')}
      actions={
        <Group gap="xs">
          <Select
            aria-label="Results to show"
            w={170}
            data={Object.entries(ANSWERS).map(([value, label]) => ({ value, label }))}
            value={answer}
            onChange={setAnswer}
            clearable
            placeholder="All results"
          />
          <Select
            aria-label="Severity of the checks"
            w={150}
            data={options(PRIORITY_ORDER)}
            value={severity}
            onChange={setSeverity}
            clearable
            placeholder="Every severity"
          />
        </Group>
      }
      flush
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Results about resources"
          columns={resultColumns(open, may('estate.view'))}
          rows={data?.items}
          rowId={(row) => `${row.check} ${row.connection_id} ${row.resource_id}`}
          pageSize={25}
          empty={
            <EmptyState
              title={answer === 'fail' ? 'No resource fails' : 'No results of this kind'}
            />
          }
        />
      )}
    </Panel>
  );
}

function resultColumns(open: (check: string) => void, linked: boolean): Column<CheckResult>[] {
  return [
    resourceColumn(linked),
    {
      id: 'result',
      header: 'Result',
      cell: (row) =>
        row.exception ? (
          <Status of="accepted" label={ANSWERS.excepted} />
        ) : (
          <Status of={COLOURS[row.result] ?? 'idle'} label={ANSWERS[row.result]} />
        ),
    },
    {
      id: 'severity',
      header: 'Severity',
      sortBy: (row) => PRIORITY_ORDER.indexOf(row.severity),
      cell: (row) => <Status of={row.severity} />,
    },
    {
      id: 'why',
      header: 'Check and reason',
      cell: (row) => (
        <div style={{ minWidth: 220, maxWidth: 520 }}>
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="left"
            onClick={() => open(row.check)}
          >
            {row.title}
          </Anchor>{' '}
          {row.is_own && <Yours />}
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Reason of={row.why} />
          </Text>
          {row.result === 'fail' && Object.values(row.values).some((value) => value !== null) && (
            <details>
              <Text component="summary" size="xs" className="muted">
                Values that it saw
              </Text>
              <Code block>{JSON.stringify(row.values, null, 2)}</Code>
            </details>
          )}
        </div>
      ),
    },
    {
      id: 'remedy',
      header: 'To mend it',
      cell: (row) => (
        <>
          {!row.exception && <Remedy of={row} />}
          {row.result === 'fail' && <Exception of={row} />}
        </>
      ),
    },
    ...proofColumns<CheckResult>(),
  ];
}

/** The recommendation that mends a failure, else the instruction. */
function Remedy({ of: row }: { of: CheckResult }) {
  if (row.recommendation_id)
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link
            to="/intelligence/recommendations/$id"
            params={{ id: row.recommendation_id ?? '' }}
            {...props}
          />
        )}
      >
        Recommendation
      </Anchor>
    );
  return (
    row.result === 'fail' && (
      <Text size="sm" style={{ minWidth: 160, maxWidth: 300 }}>
        {row.remediation}
      </Text>
    )
  );
}

/** A reason whose names of members stand between backticks. */
function Reason({ of: text }: { of: string }) {
  return text
    .split('`')
    .map((part, at) =>
      at % 2 === 1 ? <Code key={at}>{part}</Code> : <span key={at}>{part}</span>,
    );
}
