import { SegmentedControl, Stack } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';

interface Props {
  label: string;
  /** Addresses and what they are called. */
  parts: { value: string; label: string }[];
}

/** The parts of one tab of a room, one address each. */
export function RoomParts({ label, parts }: Props) {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const navigate = useNavigate();
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={label}
        value={path}
        onChange={(to) => void navigate({ to })}
        data={parts}
        style={{ alignSelf: 'flex-start' }}
      />
      <Outlet />
    </Stack>
  );
}
