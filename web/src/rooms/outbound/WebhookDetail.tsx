import { Alert, Button, Grid, Stack, Text } from '@mantine/core';
import { IconEdit, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { Awaited } from '../../display/Awaited';
import { Facts } from '../../display/Facts';
import { FormDialog } from '../../display/FormDialog';
import { fullTime } from '../../display/instants';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { SecretDialog } from '../../display/SecretDialog';
import { Remove } from '../../display/Remove';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Deliveries } from './Deliveries';
import { EVENT_NAMES } from './fields';
import { useTest } from './TestSend';
import { CHECKS, filterInWords, hostOf } from './Webhooks';
import { changeWebhook, removeWebhook, rotateSecret, useChange, webhookQuery } from './queries';

const WebhookForm = lazyComponent(() => import('./WebhookForm'), 'WebhookForm');

const route = getRouteApi('/app/settings/webhooks/$id');
const TRAIL = <Trail of={[['Webhooks', '/settings/webhooks']]} />;

export function WebhookDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(webhookQuery(id));
  if (!data) return <Awaited title="Webhook" above={TRAIL} error={error} onRetry={refetch} />;
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
      title={webhook.name || hostOf(webhook.url)}
      above={TRAIL}
      description={
        <Status
          of={webhook.enabled ? 'active' : 'disabled'}
          label={webhook.enabled ? 'On' : 'Off'}
        />
      }
      actions={
        may ? (
          <>
            <Remove
              what="webhook"
              room="outbound"
              remove={() => removeWebhook(webhook.id)}
              onRemoved={() => void navigate({ to: '/settings/webhooks' })}
              explain="Pending messages are not sent and the delivery history is deleted. The audit log keeps a record."
            />
            {test.button}
            <Button
              variant="default"
              leftSection={<IconKey size={16} />}
              onClick={() => setDialog('rotate')}
            >
              Replace the secret
            </Button>
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setDialog('change')}
            >
              Change
            </Button>
          </>
        ) : undefined
      }
    >
      {webhook.disabled_reason && <SwitchedOff of={webhook} may={may} />}
      {test.outcome}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 2, lg: 1 }}>
          <Deliveries of={{ kind: 'webhook', id: webhook.id }} may={may} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
          <Panel title="Subscription">
            <Facts
              of={[
                [
                  'Address',
                  <span key="url" className="hash">
                    {webhook.url}
                  </span>,
                ],
                ['Events', EVENT_NAMES[webhook.event] ?? words(webhook.event)],
                ['Only', filterInWords(webhook.filter)],
                ['Signed', 'Standard Webhooks, HMAC-SHA-256'],
                ['Tried', 'Retried for 24 hours, then marked as failed'],
                ['Made', <When key="made" at={webhook.created_at} form="full" />],
                ['Last changed', <When key="changed" at={webhook.updated_at} form="full" />],
              ]}
            />
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
    <Alert color="red" variant="light" title="Disabled by Reeve">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {words(webhook.disabled_reason ?? '')}. Nothing is sent until it is switched on again.
        </Text>
        <ProblemAlert error={change.error} />
        {may && (
          <Button
            size="xs"
            variant="light"
            loading={change.isPending}
            onClick={() =>
              change.mutate(
                { id: webhook.id, version: webhook.version, enabled: true },
                { onSuccess: () => announce('Webhook enabled.') },
              )
            }
          >
            Switch on
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Rotate({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const rotate = useChange(rotateSecret);
  if (rotate.data) {
    const { secret, previous_until: until } = rotate.data;
    return (
      <SecretDialog title="The signing secret" secret={secret} onClose={onClose}>
        {until ? `The previous secret stays valid until ${fullTime(until)}.` : CHECKS}
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Replace the signing secret?"
      submit="Replace"
      error={rotate.error}
      pending={rotate.isPending}
      onClose={onClose}
      onSubmit={() => rotate.mutate(webhook.id)}
      explain="Creates a new secret. Both secrets are valid for 24 hours. Replacing again within 24 hours ends the oldest immediately."
    />
  );
}
