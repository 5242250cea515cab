import { Alert, Button, Grid, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconEdit, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { Facts } from '../../display/Facts';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Deliveries } from './Deliveries';
import { EVENT_NAMES } from './fields';
import { RemoveTarget } from './RemoveTarget';
import { SecretDialog } from './SecretDialog';
import { useTest } from './TestSend';
import { WebhookForm } from './WebhookForm';
import { filterInWords, hostOf } from './Webhooks';
import { changeWebhook, removeWebhook, rotateSecret, useChange, webhookQuery } from './queries';

const route = getRouteApi('/app/settings/webhooks/$id');
const TRAIL = <Trail of={[['Webhooks', '/settings/webhooks']]} />;

export function WebhookDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(webhookQuery(id));
  if (!data) return <Page title="Webhook" above={TRAIL}>{error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : <Skeleton h={280} radius="lg" />}</Page>;
  return <Shown of={data} />;
}

function Shown({ of: webhook }: { of: Webhook }) {
  const may = useMay()('intelligence.configure');
  const navigate = useNavigate();
  const test = useTest({ kind: 'webhook', id: webhook.id });
  const [dialog, setDialog] = useState<'change' | 'rotate' | null>(null);
  const close = () => setDialog(null);
  return (
    <Page
      title={webhook.name || hostOf(webhook.url)} above={TRAIL}
      description={<Status of={webhook.enabled ? 'active' : 'disabled'} label={webhook.enabled ? 'On' : 'Off'} />}
      actions={may ? (
        <>
          {test.button}
          <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => setDialog('rotate')}>Replace the secret</Button>
          <Button variant="default" leftSection={<IconEdit size={16} />} onClick={() => setDialog('change')}>Change</Button>
        </>
      ) : undefined}
    >
      {webhook.disabled_reason && <SwitchedOff of={webhook} may={may} />}
      {test.outcome}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 2, lg: 1 }}><Deliveries of={{ kind: 'webhook', id: webhook.id }} may={may} /></Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
          <Panel title="Subscription">
            <Facts
              of={[
                ['Address', <span key="url" className="hash">{webhook.url}</span>],
                ['Told when', EVENT_NAMES[webhook.event] ?? words(webhook.event)],
                ['Only', filterInWords(webhook.filter)],
                ['Signed', 'Standard Webhooks, HMAC-SHA-256'],
                ['Tried', 'At once, then for a day; after that a dead letter'],
                ['Made', <When key="made" at={webhook.created_at} form="full" />],
                ['Last changed', <When key="changed" at={webhook.updated_at} form="full" />],
              ]}
            />
            {may && (
              <Group mt="md">
                <RemoveTarget what="webhook" explain="What waits for it is not sent, and its deliveries are forgotten. The log keeps that it was there." remove={() => removeWebhook(webhook.id)} onRemoved={() => void navigate({ to: '/settings/webhooks' })} />
              </Group>
            )}
          </Panel>
        </Grid.Col>
      </Grid>
      {dialog === 'change' && <WebhookForm webhook={webhook} onClose={close} />}
      {dialog === 'rotate' && <Rotate of={webhook} onClose={close} />}
    </Page>
  );
}

function SwitchedOff({ of: webhook, may }: { of: Webhook; may: boolean }) {
  const change = useChange(changeWebhook);
  return (
    <Alert color="red" variant="light" title="Reeve switched it off">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{words(webhook.disabled_reason ?? '')}. Nothing is sent until it is switched on again.</Text>
        <ProblemAlert error={change.error} />
        {may && <Button size="xs" variant="light" loading={change.isPending} onClick={() => change.mutate({ id: webhook.id, version: webhook.version, enabled: true }, { onSuccess: () => announce('It is on again.') })}>Switch on</Button>}
      </Stack>
    </Alert>
  );
}

function Rotate({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const rotate = useChange(rotateSecret);
  if (rotate.data) return <SecretDialog secret={rotate.data.secret} previousUntil={rotate.data.previous_until} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>Replace the signing secret?</Text>}>
      <Stack>
        <Text size="sm">You get a new one. For 24 hours both sign, so that the receiver changes over when it suits; a second replacement within the day ends the oldest at once.</Text>
        <ProblemAlert error={rotate.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>Cancel</Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate(webhook.id)}>Replace</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
