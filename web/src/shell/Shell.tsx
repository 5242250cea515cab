import { Alert, AppShell, Badge, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMe } from '../api/session';
import { useWorkspace } from '../api/workspace';
import { guardrailsQuery } from '../rooms/intelligence/queries';
import { Finder } from './Finder';
import { Mark } from './Mark';
import { NotYours } from './Lost';
import { closedTo } from './navigation';
import { Navigation } from './Navigation';
import { SchemeToggle } from './SchemeToggle';
import { ScopeNotice } from './ScopeNotice';
import { UserMenu } from './UserMenu';

/** The frame around every room: navigation, who is signed in, what concerns everybody. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const me = useMe();
  const workspace = useWorkspace();
  useEffect(close, [path, close]);
  if (!me) return null;
  // Not asked for at all: every refusal would be an entry of the log.
  const closed = closedTo(path, me.permissions);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 252, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <AppShell.Header px="md" style={{ background: 'var(--surface)', borderColor: 'var(--line)' }}>
        <a href="#content" className="skip-link">
          Skip to the content
        </a>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
            />
            <Link to="/" className="quiet-link" aria-label="Reeve, start">
              <Mark />
            </Link>
            {workspace && workspace.name !== 'Reeve' && (
              <Text size="sm" fw={600} visibleFrom="xs" truncate maw={260}>
                {workspace.name}
              </Text>
            )}
            {me.demo && (
              <Badge color="yellow" variant="light">
                Demo
              </Badge>
            )}
          </Group>
          <Group gap={6} wrap="nowrap">
            <Finder path={path} permissions={me.permissions} />
            <SchemeToggle />
            <UserMenu me={me} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="sm"
        style={{ background: 'var(--surface)', borderColor: 'var(--line)' }}
        aria-label="Main navigation"
      >
        <AppShell.Section
          grow
          className="scroll-shadows"
          style={{ overflowY: 'auto', scrollbarWidth: 'thin' }}
        >
          <Navigation path={path} permissions={me.permissions} />
        </AppShell.Section>
        {me.demo && (
          <AppShell.Section p={10}>
            <Text size="xs" className="muted">
              Demo data. Nothing here touches a real cloud.
            </Text>
          </AppShell.Section>
        )}
      </AppShell.Navbar>
      {/* No transition: its padding makes room for the navigation, and sliding there pushes wide content out of a window just made narrow. */}
      <AppShell.Main
        id="content"
        tabIndex={-1}
        style={{ outline: 'none', background: 'var(--ground)', transition: 'none' }}
      >
        {me.scope && <ScopeNotice of={me.scope} />}
        {me.permissions.includes('intelligence.view') && !me.scope && <KillSwitchNotice />}
        {closed ? <NotYours place={closed} /> : <Outlet key={workspace?.version} />}
      </AppShell.Main>
    </AppShell>
  );
}

function KillSwitchNotice() {
  const { data } = useQuery({ ...guardrailsQuery, refetchInterval: 30_000 });
  if (!data?.kill_switch) return null;
  return (
    <Alert
      color="red"
      variant="filled"
      mb="lg"
      maw={1440}
      mx="auto"
      title="The kill switch is on"
      icon={<IconHandStop size={20} />}
    >
      No agent makes changes until you turn it off under{' '}
      <Link to="/intelligence/guardrails" style={{ color: 'inherit' }}>
        Guardrails
      </Link>
      .
    </Alert>
  );
}
