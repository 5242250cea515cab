import { Alert, Anchor, Badge, Button, Group, Skeleton, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Approval } from '../../api/bodies';
import { useMay, useMe } from '../../api/session';
import { announce } from '../../display/announce';
import { Copyable } from '../../display/Copyable';
import { EmptyState } from '../../display/EmptyState';
import { FormDialog } from '../../display/FormDialog';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { DelegateDialog } from './DelegateDialog';
import { guardrailPlace } from './change/policy';
import { approvalsQuery, approve, reject, useChange } from './queries';

const SIGNING = ['approve.manager', 'approve.director', 'approve.security'];

export function Approvals() {
  const { data, error, refetch } = useQuery(approvalsQuery);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={200} radius="lg" />;
  const pending = data.items.filter(({ status }) => status === 'pending');
  const past = data.items.filter(({ status }) => status !== 'pending').slice(0, 50);
  return (
    <Stack gap="lg">
      {pending.length === 0 && (
        <div className="panel">
          <EmptyState
            title="No pending approvals" icon={<IconSignature size={22} />}
            action={<Anchor size="sm" mt={6} renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}>Open recommendations</Anchor>}
          >
            Changes of medium impact need a manager; changes of high impact need a director and security. Their requests appear here.
          </EmptyState>
        </div>
      )}
      {pending.map((approval) => <Request key={approval.id} of={approval} />)}
      {past.length > 0 && (
        <Panel title="Earlier">
          <Stack gap={0}>{past.map((approval) => <Past key={approval.id} of={approval} />)}</Stack>
        </Panel>
      )}
    </Stack>
  );
}

function Signatures({ of: approval }: { of: Approval }) {
  return (
    <Group gap={6}>
      {approval.needed.map((name) => {
        const given = approval.signed.find(({ signature }) => signature === name);
        return <Badge key={name} color={given ? 'green' : 'gray'} variant={given ? 'light' : 'outline'}>{given ? `${words(name)}: ${given.by}` : `Waiting for ${article(name)}`}</Badge>;
      })}
    </Group>
  );
}

function Request({ of: approval }: { of: Approval }) {
  const [answer, setAnswer] = useState<'approve' | 'reject' | 'delegate' | null>(null);
  const may = useMay();
  const signs = SIGNING.some(may);
  const mine = approval.can_sign.length > 0;
  return (
    <Panel
      title={<Anchor inherit c="inherit" renderRoot={(props) => <Link to="/intelligence/recommendations/$id" params={{ id: approval.recommendation_id }} {...props} />}>{approval.title}</Anchor>}
      note={<>Asked for by {approval.requested_by} <When at={approval.requested_at} form="ago" />, lapses <When at={approval.expires_at} form="ago" /></>}
      actions={<Status of={approval.impact} label={`${words(approval.impact)} impact`} />}
    >
      <Stack gap="sm">
        <Signatures of={approval} />
        {approval.exception && <ExceptionNote of={approval.exception} reason={approval.reason} />}
        {approval.delegated.map(({ signature, from, to, at }) => <Text size="sm" className="muted" key={signature + at}>{words(signature)}: delegated by {from} to {to} <When at={at} form="ago" /></Text>)}
        <Group gap={8} wrap="nowrap" align="flex-start"><Text size="xs" className="muted">Plan</Text><Copyable value={approval.plan_hash} label="Plan hash" /></Group>
        {mine ? (
          <Group gap="xs">
            <Button onClick={() => setAnswer('approve')}>Approve as {approval.can_sign.map((name) => words(name).toLowerCase()).join(' and ')}</Button>
            <Button variant="default" onClick={() => setAnswer('reject')}>Reject</Button>
            {signs && <Button variant="default" onClick={() => setAnswer('delegate')}>Delegate</Button>}
          </Group>
        ) : <WhyNotMine of={approval} />}
      </Stack>
      {answer === 'approve' && <ApproveDialog of={approval} onClose={() => setAnswer(null)} />}
      {answer === 'delegate' && <DelegateDialog of={approval} onClose={() => setAnswer(null)} />}
      {answer === 'reject' && <RejectDialog of={approval} onClose={() => setAnswer(null)} />}
    </Panel>
  );
}

const article = (name: string) => (name === 'security' ? 'security' : `a ${words(name).toLowerCase()}`);

/** The limit that the signatures would lift, once, with the requester's reason. */
function ExceptionNote({ of: asked, reason }: { of: NonNullable<Approval['exception']>; reason?: string | null }) {
  return (
    <Alert color="orange" variant="light" title={`Exception requested: ${guardrailPlace(asked.guardrail).name}`}>
      {asked.value} % instead of {asked.limit} %, for this plan and once.{reason && ` Reason: ${reason}`}
    </Alert>
  );
}

/** The reason why the reader cannot sign. */
function WhyNotMine({ of: approval }: { of: Approval }) {
  const me = useMe()?.email;
  const missing = approval.needed.filter((name) => !approval.signed.some(({ signature }) => signature === name));
  const why = approval.requested_by === me ? 'You requested this change, so someone else must approve it.'
    : approval.signed.some(({ by }) => by === me) ? 'You have signed it; the other signature must come from someone else.'
      : `Needs ${missing.map(article).join(' and ')}; your roles don't include that.`;
  return <Text size="sm" className="muted">{why}</Text>;
}

function ApproveDialog({ of: approval, onClose }: { of: Approval; onClose: () => void }) {
  const [comment, setComment] = useState('');
  const sign = useChange(approve);
  const left = approval.needed.length - approval.signed.length - approval.can_sign.length;
  return (
    <FormDialog
      title="Approve this plan?" explain={left > 0 ? 'It runs once the other signature is there too.' : 'With your signature it runs at once.'} submit="Approve"
      error={sign.error} pending={sign.isPending} onClose={onClose}
      onSubmit={() => sign.mutate({ id: approval.id, comment: comment.trim() || undefined }, { onSuccess: () => { announce('Signed.'); onClose(); } })}
    >
      <Text size="sm">{approval.title}</Text>
      <TextInput label="Comment for the log" placeholder="Optional" data-autofocus value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
    </FormDialog>
  );
}

function RejectDialog({ of: approval, onClose }: { of: Approval; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const refuse = useChange(reject);
  return (
    <FormDialog
      title="Reject this plan?" explain="It does not run. The reason goes to the log." submit="Reject" colour="red"
      error={refuse.error} pending={refuse.isPending} disabled={reason.trim() === ''} onClose={onClose}
      onSubmit={() => refuse.mutate({ id: approval.id, reason: reason.trim() }, { onSuccess: () => { announce('Rejected.'); onClose(); } })}
    >
      <Text size="sm">{approval.title}</Text>
      <Textarea label="Reason" required autosize minRows={2} data-autofocus value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
    </FormDialog>
  );
}

function Past({ of: approval }: { of: Approval }) {
  return (
    <Group justify="space-between" py={8} style={{ borderBottom: '1px solid var(--line)' }}>
      <div style={{ minWidth: 0, flex: '1 1 260px' }}>
        <Anchor size="sm" c="inherit" renderRoot={(props) => <Link to="/intelligence/recommendations/$id" params={{ id: approval.recommendation_id }} {...props} />}>{approval.title}</Anchor>
        <Text size="xs" className="muted">{approval.reason ? sentence(approval.reason) : approval.signed.map(({ signature, by }) => `${words(signature)}: ${by}`).join(', ')}</Text>
      </div>
      <Group gap="sm"><When at={approval.requested_at} fz="xs" className="muted" /><Status of={approval.status} /></Group>
    </Group>
  );
}
