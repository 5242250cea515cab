import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { nowTime } from '../../display/instants';
import { REFRESH_MS, type Refresh } from './refresh';

/** How often the page refreshes, when it last did, and the buttons that pause it or refresh at once. */
export function Freshness({ of: refresh, fetching }: { of: Refresh; fetching: boolean }) {
  const next = refresh.paused ? 'paused' : `next in ${refresh.left} s`;
  return (
    <Group gap={8}>
      <Text size="xs" className="muted numeral">
        Refreshes every {REFRESH_MS / 1000} seconds. Updated {nowTime(refresh.at)},{' '}
        {fetching ? 'refreshing …' : next}
      </Text>
      <Button
        size="compact-xs"
        variant={refresh.paused ? 'filled' : 'default'}
        aria-pressed={refresh.paused}
        onClick={() => refresh.pause(!refresh.paused)}
        leftSection={refresh.paused ? <IconPlayerPlay size={13} /> : <IconPlayerPause size={13} />}
      >
        {refresh.paused ? 'Resume' : 'Pause'}
      </Button>
      <ActionIcon size="sm" variant="default" onClick={refresh.now} aria-label="Refresh now">
        <IconRefresh size={14} />
      </ActionIcon>
    </Group>
  );
}
