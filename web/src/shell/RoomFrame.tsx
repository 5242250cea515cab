import { Outlet, useRouterState } from '@tanstack/react-router';
import { Page } from '../display/Page';
import { Trail } from '../display/Trail';
import { pageAt, SECTIONS } from './navigation';

interface Props {
  /** The room's address in the navigation. */
  room: '/intelligence' | '/audit';
}

/** The head of a room's page: its own name, one sentence about it, and the way back to the room. */
export function RoomFrame({ room }: Props) {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const place = SECTIONS.flatMap(({ places }) => places).find(({ to }) => to === room);
  const page = place?.groups && pageAt(path, place.groups);
  if (!place || !page) return <Outlet />;
  const overview = page.to === room;
  return (
    <Page
      title={overview ? place.label : page.label}
      browserTitle={[page.label, place.label]}
      description={page.about}
      above={overview ? undefined : <Trail of={[[place.label, room]]} />}
    >
      <Outlet />
    </Page>
  );
}
