import { Anchor, Badge, Code, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { OpenName } from '../../../display/OpenName';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { ownChecksQuery, type OwnFault, type OwnFile } from './queries';

/** Mark of a check or framework that comes from the folder of own checks. */
export function Yours() {
  return (
    <Badge variant="outline" color="gray" size="sm">
      Yours
    </Badge>
  );
}

function columns(open: (check: string) => void): Column<OwnFile>[] {
  return [
    {
      id: 'title',
      header: 'Check or framework',
      cell: (row) => (
        <div style={{ minWidth: 200 }}>
          {row.is_framework ? (
            <Anchor
              size="sm"
              fw={550}
              renderRoot={(props) => (
                <Link
                  to="/intelligence/compliance/$framework"
                  params={{ framework: row.id }}
                  {...props}
                />
              )}
            >
              {row.title}
            </Anchor>
          ) : (
            <OpenName onOpen={() => open(row.id)}>{row.title}</OpenName>
          )}
          <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
            {row.path}
          </Text>
        </div>
      ),
    },
    {
      id: 'severity',
      header: 'Severity',
      cell: (row) => (row.severity ? <Status of={row.severity} /> : 'Framework'),
    },
    {
      id: 'failing',
      header: 'Failing resources',
      align: 'right',
      cell: (row) => (row.results ? count(row.results.fail - row.results.excepted) : ''),
    },
  ];
}

/** Where a fault is: file, line and field. */
function place({ path, line, field }: OwnFault): string {
  return [path + (line ? `:${line}` : ''), field].filter(Boolean).join(', ');
}

/** Files of own checks that are in force, and those that are refused with the reason. */
export function OwnChecks({ open }: { open: (check: string) => void }) {
  const { data, error, refetch } = useQuery(ownChecksQuery);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data || (data.files.length === 0 && data.refused.length === 0)) return null;

  return (
    <Panel
      title="Your checks and frameworks"
      note={`${plural(data.files.length, 'file')} in force. Reeve reads the folder again every 10 seconds.`}
      flush
    >
      <Stack gap="sm">
        {data.refused.length > 0 && (
          <div style={{ padding: '0 16px' }} role="alert">
            <Text size="sm" fw={550}>
              {plural(data.refused.length, 'fault')} in files that are not in force
            </Text>
            <List size="sm">
              {data.refused.map((fault) => (
                <List.Item key={`${place(fault)} ${fault.reason}`}>
                  <Code>{place(fault)}</Code> {fault.reason}
                </List.Item>
              ))}
            </List>
          </div>
        )}
        {data.files.length > 0 && (
          <DataTable
            bare
            label="Your checks and frameworks"
            columns={columns(open)}
            rows={data.files}
            rowId={(row) => row.path}
            pageSize={10}
            empty={null}
          />
        )}
      </Stack>
    </Panel>
  );
}
