import { Menu } from '@mantine/core';
import { IconCalendarTime, IconCircleOff, IconClockPause, IconFlask } from '@tabler/icons-react';
import { cloneElement } from 'react';
import { useOpenedAtOnce, type OpenedProps } from '../../display/lazy';

interface Props extends OpenedProps {
  /** True if the recommendation has a plan, which can be scheduled and tested. */
  planned: boolean;
  onChoose: (dialog: 'schedule' | 'snooze' | 'test' | 'exclude') => void;
}

/** Answers to a recommendation that leave it for later. */
export function SnoozeMenu({ target, planned, onChoose }: Props) {
  const { opened, setOpened, button } = useOpenedAtOnce();
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>{cloneElement(target, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {planned && (
          <Menu.Item
            leftSection={<IconCalendarTime size={16} />}
            onClick={() => onChoose('schedule')}
          >
            Schedule
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconClockPause size={16} />} onClick={() => onChoose('snooze')}>
          Snooze
        </Menu.Item>
        {planned && (
          <Menu.Item leftSection={<IconFlask size={16} />} onClick={() => onChoose('test')}>
            Test First
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconCircleOff size={16} />} onClick={() => onChoose('exclude')}>
          Exclude
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
