import { Anchor, Badge, Button, Group, List, Text, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../../api/session';
import { announce } from '../../../display/announce';
import { count } from '../../../display/amounts';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import { searchOfFinding } from '../compliance';
import {
  reviewException,
  useChange,
  type Control,
  type Question,
  type ReportRun,
  type Summary,
} from './queries';
import { STATUSES } from './statuses';

/** The controls of a run: their counts lead to the entries, and exceptions can be reviewed. */
export function Controls({ run, summary }: { run: ReportRun; summary: Summary }) {
  return (
    <div>
      <Group gap={8} mb="sm">
        {STATUSES.map(({ key, label, color }) => (
          <Badge key={key} color={color} variant="light">
            {summary.statuses[key]} {label.toLowerCase()}
          </Badge>
        ))}
      </Group>
      <Table.ScrollContainer label="Controls" minWidth={520}>
        <Table aria-label="Controls" verticalSpacing={10}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Control</Table.Th>
              <Table.Th>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {summary.controls.map((control) => (
              <ControlRow key={control.number} run={run} control={control} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" className="muted">
        Shows the evidence in the log. Exceptions are entries to review; they are counted apart from
        the evidence. An auditor decides whether a control is met.
      </Text>
    </div>
  );
}

function ControlRow({ run, control }: { run: ReportRun; control: Control }) {
  const status = STATUSES.find(({ key }) => key === control.status);
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td data-lead>
        <Text size="sm" fw={550}>
          {control.number} {control.title}
        </Text>
        <Text size="xs" className="muted">
          {control.asks}
        </Text>
        <Questions run={run} label="Evidence" asked={control.evidence} />
        <Questions run={run} label="Exceptions" asked={control.exceptions} />
        {control.gaps.length > 0 && (
          <List size="xs" className="muted" mt={4}>
            {control.gaps.map((gap) => (
              <List.Item key={gap}>Not in the log: {gap}</List.Item>
            ))}
          </List>
        )}
      </Table.Td>
      <Table.Td data-label="Status">
        <Badge color={status?.color ?? 'gray'} variant="light">
          {status?.label ?? control.status}
        </Badge>
      </Table.Td>
    </Table.Tr>
  );
}

function Questions({ run, label, asked }: { run: ReportRun; label: string; asked: Question[] }) {
  if (asked.length === 0) return null;
  return (
    <>
      <Text size="xs" fw={550} mt={6}>
        {label}
      </Text>
      <List size="xs" listStyleType="none">
        {asked.map((question) => (
          <List.Item key={question.id}>
            <Answer run={run} question={question} />
            {label === 'Exceptions' && question.found > 0 && (
              <Reviews run={run} question={question} />
            )}
          </List.Item>
        ))}
      </List>
    </>
  );
}

function Answer({
  run,
  question: { name, query, found, has_source, sources, every_days, often_enough },
}: {
  run: ReportRun;
  question: Question;
}) {
  if (has_source === false)
    return (
      <>
        {name}:{' '}
        <Text span size="xs" className="muted">
          no source connected ({sources?.join(', ')})
        </Text>
      </>
    );
  return (
    <>
      {name}:{' '}
      {found > 0 ? (
        <Anchor
          size="xs"
          renderRoot={(props) => (
            <Link to="/audit/search" search={searchOfFinding(query, run)} {...props} />
          )}
        >
          {count(found)}
        </Anchor>
      ) : (
        count(found)
      )}
      {every_days != null && often_enough === false && (
        <Text span size="xs" c="orange">
          {' '}
          Needed every {every_days === 1 ? 'day' : `${every_days} days`}: not met
        </Text>
      )}
    </>
  );
}

function Reviews({ run, question }: { run: ReportRun; question: Question }) {
  const [open, setOpen] = useState(false);
  const [comment, setComment] = useState('');
  const review = useChange(reviewException);
  const isScoped = Boolean(useMe()?.scope);
  const reviews = run.reviews.filter((one) => one.question === question.id);
  const save = () =>
    review.mutate(
      { run: run.id, question: question.id, comment },
      {
        onSuccess: () => {
          setOpen(false);
          setComment('');
          announce('Review recorded');
        },
      },
    );
  return (
    <div>
      {reviews.map(({ id, reviewed_by, reviewed_at, comment: words }) => (
        <Text key={id} size="xs" className="muted">
          Reviewed by {reviewed_by}, <When at={reviewed_at} form="minute" inherit />: {words}
        </Text>
      ))}
      {open ? (
        <>
          <Textarea
            size="xs"
            label={`Review of ${question.name}`}
            description="What the entries are, and what was done. It is recorded in the log under your name."
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
            maxLength={2000}
            autosize
            minRows={2}
            data-autofocus
          />
          <ProblemAlert error={review.error} />
          <Group gap="xs" mt={4}>
            <Button
              size="compact-xs"
              loading={review.isPending}
              disabled={!comment.trim()}
              onClick={save}
            >
              Record review
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </Group>
        </>
      ) : (
        !isScoped && (
          <Anchor
            component="button"
            size="xs"
            onClick={() => setOpen(true)}
            aria-label={`Review ${question.name}`}
          >
            Review
          </Anchor>
        )
      )}
    </div>
  );
}
