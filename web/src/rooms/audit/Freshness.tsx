import { ActionIcon, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { nowTime } from '../../display/instants';
import { REFRESH_MS } from './queries';

/** When the list was last asked for, and when it will be again. */
export function Freshness({ at, fetching, onRefresh }: { at: number; fetching: boolean; onRefresh: () => void }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((at + REFRESH_MS - now) / 1000));
  return (
    <Group gap={6}>
      <Text size="xs" className="muted numeral">
        {at === 0 ? 'Loading' : `Updated ${nowTime(at)}`}{fetching ? ', refreshing …' : `, next in ${left} s`}
      </Text>
      <ActionIcon size="sm" onClick={onRefresh} aria-label="Refresh now"><IconRefresh size={15} /></ActionIcon>
    </Group>
  );
}
