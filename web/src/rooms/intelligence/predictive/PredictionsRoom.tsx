import { SegmentedControl, Stack } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';

const PLACES = [{ value: '/intelligence/predictions', label: 'Rules' }, { value: '/intelligence/predictions/calendars', label: 'Calendars' }];

/** What is foreseen: rules over forecasts, and the calendars they know events from. */
export function PredictionsRoom() {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const navigate = useNavigate();
  return (
    <Stack gap="md">
      <SegmentedControl aria-label="Rules or calendars" value={path} onChange={(to) => void navigate({ to })} data={PLACES} style={{ alignSelf: 'flex-start' }} />
      <Outlet />
    </Stack>
  );
}
