import {
  Alert,
  Anchor,
  Badge,
  Button,
  Group,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import type { Approval, Recommendation } from '../../api/bodies';
import { useMay, useMe } from '../../api/session';
import { announce } from '../../display/announce';
import { money, percent } from '../../display/amounts';
import { EmptyState } from '../../display/EmptyState';
import { Facts } from '../../display/Facts';
import { FormDialog } from '../../display/FormDialog';
import { Hint } from '../../display/Hint';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { DelegateDialog } from './DelegateDialog';
import { guardrailPlace } from './change/policy';
import { factorsOf } from './factors';
import { Losses, PlanHash, Steps } from './PlanSteps';
import { approvalsQuery, approve, recommendationQuery, reject, useChange } from './queries';
import { requesterOf, useWho } from './requesters';

const route = getRouteApi('/app/intelligence/approvals');

const SIGNING = ['approve.manager', 'approve.director', 'approve.security'];

export function Approvals() {
  const { approval: wanted } = route.useSearch();
  const { data, error, refetch } = useQuery(approvalsQuery);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={200} radius="lg" />;
  const pending = data.items.filter(({ status }) => status === 'pending');
  const ended = data.items.filter(({ status }) => status !== 'pending');
  const past = ended.filter(({ id }, at) => at < 50 || id === wanted);
  return (
    <Stack gap="lg">
      {wanted && !data.items.some(({ id }) => id === wanted) && (
        <Alert color="gray" title="This approval is not listed">
          It is older than the approvals shown here, or you may not see it. Its history is in the
          audit log.
        </Alert>
      )}
      {pending.length === 0 && (
        <div className="panel">
          <EmptyState
            title="No pending approvals"
            icon={<IconSignature size={22} />}
            action={
              <Anchor
                size="sm"
                mt={6}
                renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}
              >
                Open recommendations
              </Anchor>
            }
          >
            Changes of medium impact need a manager; changes of high impact need a director and
            security. Their requests appear here.
          </EmptyState>
        </div>
      )}
      {pending.map((approval) => (
        <Wanted key={approval.id} is={approval.id === wanted}>
          <Request of={approval} />
        </Wanted>
      ))}
      {past.length > 0 && (
        <Panel title="Earlier">
          <Stack gap={0}>
            {past.map((approval) => (
              <Wanted key={approval.id} is={approval.id === wanted}>
                <Past of={approval} />
              </Wanted>
            ))}
          </Stack>
        </Panel>
      )}
    </Stack>
  );
}

/** Marks the approval that a notification led to, and scrolls to it once. */
function Wanted({ is, children }: { is: boolean; children: ReactNode }) {
  const show = useCallback(
    (element: HTMLDivElement | null) => element?.scrollIntoView({ block: 'center' }),
    [],
  );
  return is ? (
    <div ref={show} className="wanted" aria-current="true">
      {children}
    </div>
  ) : (
    children
  );
}

function Signatures({ of: approval }: { of: Approval }) {
  return (
    <Group gap={6}>
      {approval.needed.map((name) => {
        const given = approval.signed.find(({ signature }) => signature === name);
        return (
          <Badge key={name} color={given ? 'green' : 'gray'} variant={given ? 'light' : 'outline'}>
            {given ? `${words(name)}: ${given.by}` : `Waiting for ${article(name)}`}
          </Badge>
        );
      })}
    </Group>
  );
}

function Request({ of: approval }: { of: Approval }) {
  const [answer, setAnswer] = useState<'approve' | 'reject' | 'delegate' | null>(null);
  const may = useMay();
  const signs = SIGNING.some(may);
  const mine = approval.can_sign.length > 0;
  const {
    data: recommendation,
    error,
    refetch,
  } = useQuery(recommendationQuery(approval.recommendation_id, 60_000));
  const who = useWho();
  return (
    <Panel
      title={
        <Anchor
          inherit
          c="inherit"
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: approval.recommendation_id }}
              {...props}
            />
          )}
        >
          {approval.title}
        </Anchor>
      }
      note={
        <>
          Requested <When at={approval.requested_at} form="ago" />, expires{' '}
          <When at={approval.expires_at} form="ago" />
        </>
      }
      actions={<Status of={approval.impact} label={`${words(approval.impact)} impact`} />}
    >
      <Stack gap="sm">
        <Signatures of={approval} />
        {approval.exception && <ExceptionNote of={approval.exception} />}
        <Requester
          of={approval}
          recommendation={recommendation}
          name={who(requesterOf(approval.requested_by))}
        />
        {recommendation ? (
          <Decision of={recommendation} />
        ) : error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton h={160} />
        )}
        {approval.delegated.map(({ signature, from, to, at }) => (
          <Text size="sm" className="muted" key={signature + at}>
            {words(signature)}: delegated by {from} to {to} <When at={at} form="ago" />
          </Text>
        ))}
        <PlanHash hash={approval.plan_hash} />
        {mine ? (
          <Group gap="xs">
            <Button onClick={() => setAnswer('approve')}>
              Approve as {approval.can_sign.map((name) => words(name).toLowerCase()).join(' and ')}
            </Button>
            <Button variant="default" onClick={() => setAnswer('reject')}>
              Reject
            </Button>
            {signs && (
              <Button variant="default" onClick={() => setAnswer('delegate')}>
                Delegate
              </Button>
            )}
          </Group>
        ) : (
          <WhyNotMine of={approval} />
        )}
      </Stack>
      {answer === 'approve' && <ApproveDialog of={approval} onClose={() => setAnswer(null)} />}
      {answer === 'delegate' && <DelegateDialog of={approval} onClose={() => setAnswer(null)} />}
      {answer === 'reject' && <RejectDialog of={approval} onClose={() => setAnswer(null)} />}
    </Panel>
  );
}

/** Requester and reason: the requester's own words, else what the agent measured. */
function Requester({
  of: approval,
  recommendation,
  name,
}: {
  of: Approval;
  recommendation: Recommendation | undefined;
  name: string;
}) {
  const why = approval.reason
    ? `“${approval.reason}”`
    : recommendation &&
      `${factorsOf(recommendation)[0] ?? recommendation.explanation.action}. Confidence ${percent(recommendation.confidence)}.`;
  return (
    <Text size="sm">
      Requested by{' '}
      <Hint label={approval.requested_by} disabled={name === approval.requested_by}>
        <b>{name}</b>
      </Hint>
      {why && <>: {why}</>}
    </Text>
  );
}

/** Facts that a signer decides on: money, risk, downtime, and the steps in words. */
function Decision({ of: one }: { of: Recommendation }) {
  const saved = one.savings.expected_monthly;
  const amount = saved == null ? 'Price unknown' : `${money(Math.abs(saved))} a month`;
  return (
    <>
      <Facts
        of={[
          [(saved ?? 0) >= 0 ? 'Saves' : 'Costs', amount],
          ['Risk', <Status key="risk" of={one.explanation.risk_level} />],
          ['Downtime', one.plan?.restart_needed ? `Yes: ${one.resource.name} restarts` : 'None'],
          ['Can be undone', one.plan && (one.plan.reversible ? 'Yes' : 'No')],
          ['Performance', sentence(one.impact.performance)],
          [
            'Resource',
            <Hint key="resource" label={one.resource.id}>
              <span>{`${one.resource.name} · ${words(one.resource.provider)} ${one.resource.account}`}</span>
            </Hint>,
          ],
        ]}
      />
      {one.plan && (
        <section aria-label="Steps">
          <Text size="sm" fw={550} mb={6}>
            Steps
          </Text>
          <Steps plan={one.plan} resource={one.resource} />
        </section>
      )}
      {one.plan && <Losses plan={one.plan} />}
    </>
  );
}

const article = (name: string) =>
  name === 'security' ? 'security' : `a ${words(name).toLowerCase()}`;

/** The limit that the signatures would lift, once. */
function ExceptionNote({ of: asked }: { of: NonNullable<Approval['exception']> }) {
  return (
    <Alert
      color="orange"
      variant="light"
      title={`Exception requested: ${guardrailPlace(asked.guardrail).name}`}
    >
      {asked.value} % instead of {asked.limit} %, for this plan and once.
    </Alert>
  );
}

/** The reason why the reader cannot sign. */
function WhyNotMine({ of: approval }: { of: Approval }) {
  const me = useMe()?.email;
  const missing = approval.needed.filter(
    (name) => !approval.signed.some(({ signature }) => signature === name),
  );
  const why =
    approval.requested_by === me
      ? 'You requested this change, so someone else must approve it.'
      : approval.signed.some(({ by }) => by === me)
        ? 'You have signed it; the other signature must come from someone else.'
        : `Needs ${missing.map(article).join(' and ')}; your roles don't include that.`;
  return (
    <Text size="sm" className="muted">
      {why}
    </Text>
  );
}

function ApproveDialog({ of: approval, onClose }: { of: Approval; onClose: () => void }) {
  const [comment, setComment] = useState('');
  const sign = useChange(approve);
  const left = approval.needed.length - approval.signed.length - approval.can_sign.length;
  return (
    <FormDialog
      title={`Approve: ${approval.title}`}
      explain={
        left > 0
          ? 'The change starts after the other signature.'
          : 'The change starts as soon as you approve.'
      }
      submit="Approve"
      error={sign.error}
      pending={sign.isPending}
      onClose={onClose}
      onSubmit={() =>
        sign.mutate(
          { id: approval.id, comment: comment.trim() || undefined },
          {
            onSuccess: () => {
              announce('Signed.');
              onClose();
            },
          },
        )
      }
    >
      <TextInput
        label="Comment (kept in the audit log)"
        placeholder="Optional"
        data-autofocus
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function RejectDialog({ of: approval, onClose }: { of: Approval; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const refuse = useChange(reject);
  return (
    <FormDialog
      title={`Reject: ${approval.title}`}
      explain="The change does not run. Your reason is kept in the audit log."
      submit="Reject"
      colour="red"
      error={refuse.error}
      pending={refuse.isPending}
      disabled={reason.trim() === ''}
      onClose={onClose}
      onSubmit={() =>
        refuse.mutate(
          { id: approval.id, reason: reason.trim() },
          {
            onSuccess: () => {
              announce('Rejected.');
              onClose();
            },
          },
        )
      }
    >
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function Past({ of: approval }: { of: Approval }) {
  return (
    <Group justify="space-between" py={8} style={{ borderBottom: '1px solid var(--line)' }}>
      <div style={{ minWidth: 0, flex: '1 1 260px' }}>
        <Anchor
          size="sm"
          c="inherit"
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: approval.recommendation_id }}
              {...props}
            />
          )}
        >
          {approval.title}
        </Anchor>
        <Text size="xs" className="muted">
          {approval.reason
            ? sentence(approval.reason)
            : approval.signed.map(({ signature, by }) => `${words(signature)}: ${by}`).join(', ')}
        </Text>
      </div>
      <Group gap="sm">
        <When at={approval.requested_at} fz="xs" className="muted" />
        <Status of={approval.status} />
      </Group>
    </Group>
  );
}
