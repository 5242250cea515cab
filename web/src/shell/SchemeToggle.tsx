import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { LateMenu } from './LateMenu';
import { SCHEMES } from './schemes';

export function SchemeToggle() {
  const { colorScheme } = useMantineColorScheme();
  const Current = SCHEMES.find(({ value }) => value === colorScheme)?.icon ?? IconDeviceDesktop;
  return (
    <LateMenu
      target={
        <ActionIcon size="lg" aria-label="Colour scheme">
          <Current size={18} stroke={1.6} />
        </ActionIcon>
      }
      content={{ kind: 'scheme' }}
    />
  );
}
