import { ActionIcon, Alert, Stack, Text } from '@mantine/core';
import { IconHelpCircle, IconSearch } from '@tabler/icons-react';
import type { Problem } from '../../api/problem';
import { lazyOpened } from '../../display/lazy';
import { QueryInput } from './QueryInput';

const QueryHelp = lazyOpened(() => import('./QueryHelp'), 'QueryHelp', 'dialog');
const HELP = (
  <QueryHelp
    target={
      <ActionIcon aria-label="Help on the query language">
        <IconHelpCircle size={18} />
      </ActionIcon>
    }
  />
);

interface Props {
  value: string;
  onChange: (text: string) => void;
  problem: Problem | undefined;
  /** The query that the problem is about, and where it begins in what was sent. */
  asked: string;
  shift: number;
}

/** Where a query is typed; a wrong one is shown with the place marked. */
export function QueryBox({ value, onChange, problem, asked, shift }: Props) {
  const wrong = problem?.code === 'invalid_query' ? problem : undefined;
  return (
    <Stack gap="xs">
      <QueryInput
        label="Query"
        placeholder="event_type:resource.* AND status:failed"
        leftSection={<IconSearch size={16} />}
        rightSection={HELP}
        value={value}
        onChange={onChange}
        error={wrong !== undefined}
        size="md"
        className="query-input"
        aria-describedby={wrong ? 'query-problem' : undefined}
      />
      {wrong && <WrongQuery problem={wrong} asked={asked} shift={shift} />}
    </Stack>
  );
}

/** What is wrong with a query, where, and what to write instead. */
export function WrongQuery({
  problem,
  asked,
  shift,
}: {
  problem: Problem;
  asked: string;
  shift: number;
}) {
  return (
    <Alert color="red" id="query-problem" role="alert" title="The query is not valid">
      <Marked
        text={asked}
        at={problem.position === undefined ? undefined : problem.position - shift}
        part={problem.part}
      />
      <Text size="sm" mt={6}>
        {problem.reason ?? problem.detail}
      </Text>
      {problem.hint && (
        <Text size="sm" mt={2}>
          {problem.hint}
        </Text>
      )}
    </Alert>
  );
}

/** The query with a mark under the part that is wrong, else under its first character. Positions count characters, not code units. */
export function Marked({
  text,
  at,
  part = '',
}: {
  text: string;
  at: number | undefined;
  part?: string;
}) {
  if (at === undefined || text === '') return null;
  const characters = [...text];
  const place = Math.min(Math.max(0, at), characters.length);
  const length = Math.max(1, Math.min([...part].length, characters.length - place));
  return (
    <pre
      style={{
        margin: 0,
        fontSize: '0.8125rem',
        overflowX: 'auto',
        fontFamily: 'var(--mantine-font-family-monospace)',
      }}
      aria-label={`Wrong at character ${place + 1}`}
    >
      {characters.slice(0, place).join('')}
      <mark
        style={{ background: 'var(--mantine-color-red-filled)', color: '#fff', borderRadius: 2 }}
      >
        {characters.slice(place, place + length).join('') || ' '}
      </mark>
      {characters.slice(place + length).join('')}
      {`\n${' '.repeat(place)}${'^'.repeat(length)}`}
    </pre>
  );
}
