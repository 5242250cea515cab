import { Button, Grid, Group, Text } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../api/bodies';
import { labelOf, useChannelTypes, type ChannelType } from '../../api/channel-types';
import { useMay } from '../../api/session';
import { Awaited } from '../../display/Awaited';
import { Facts, type Fact } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { Remove } from '../../display/Remove';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { topicsInWords } from './Channels';
import { Deliveries } from './Deliveries';
import { useTest } from './TestSend';
import { channelQuery, removeChannel } from './queries';

const ChannelForm = lazyComponent(() => import('./ChannelForm'), 'ChannelForm');

const route = getRouteApi('/app/settings/notifications/$id');
const TRAIL = <Trail of={[['Notifications', '/settings/notifications']]} />;

export function ChannelDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(channelQuery(id));
  if (!data) return <Awaited title="Channel" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function settingsFacts(type: ChannelType | undefined, channel: Channel): Fact[] {
  const settings: Record<string, unknown> = channel.settings;
  return (type?.settings ?? []).map(({ name, label, choices, placeholder }) => {
    const value = settings[name];
    const choice = choices.find((one) => one.value === value);
    const text = Array.isArray(value) ? value.join(', ') : String(value ?? placeholder);
    return [label, choice?.label ?? text];
  });
}

function Shown({ of: channel }: { of: Channel }) {
  const may = useMay()('intelligence.configure');
  const navigate = useNavigate();
  const types = useChannelTypes();
  const test = useTest({ kind: 'channel', id: channel.id });
  const [changing, setChanging] = useState(false);
  return (
    <Page
      title={channel.name}
      above={TRAIL}
      description={
        <Group component="span" display="inline-flex" gap={8}>
          <Status
            of={channel.enabled ? 'active' : 'disabled'}
            label={channel.enabled ? 'On' : 'Off'}
          />
          <Text span size="sm">
            {labelOf(types, channel.type)}
          </Text>
        </Group>
      }
      actions={
        may ? (
          <>
            <Remove
              what="channel"
              room="outbound"
              remove={() => removeChannel(channel.id)}
              onRemoved={() => void navigate({ to: '/settings/notifications' })}
              explain="Stops notifications through this channel. Pending messages are not sent."
            />
            {test.button}
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setChanging(true)}
            >
              Change
            </Button>
          </>
        ) : undefined
      }
    >
      {test.outcome}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 2, lg: 1 }}>
          <Deliveries of={{ kind: 'channel', id: channel.id }} may={may} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
          <Panel title="Channel">
            <Facts
              of={[
                ['Events', topicsInWords(channel.topics)],
                ...settingsFacts(
                  types.find(({ type }) => type === channel.type),
                  channel,
                ),
                ['Secret', 'Encrypted. Replace it under Change'],
                ['Made', <When key="made" at={channel.created_at} form="full" />],
                ['Last changed', <When key="changed" at={channel.updated_at} form="full" />],
              ]}
            />
          </Panel>
        </Grid.Col>
      </Grid>
      {changing && <ChannelForm channel={channel} onClose={() => setChanging(false)} />}
    </Page>
  );
}
