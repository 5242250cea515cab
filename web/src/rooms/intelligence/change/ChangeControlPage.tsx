import {
  Alert,
  Anchor,
  Button,
  Group,
  Radio,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { IconCalendarOff, IconCalendarPlus, IconLock, IconLockOpen } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Freeze, Guardrails, MaintenanceWindow } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { fullTime } from '../../../display/instants';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { useUnsavedWarning } from '../../../display/unsaved';
import { useNow } from '../../../display/useNow';
import { guardrailsQuery, setGuardrails, useChange } from '../queries';
import { FreezeTable, WindowTable } from './CalendarTables';
import { freezeState, opening } from './calendar';
import { policyOf, withPolicy } from './policy';

const FreezeForm = lazyComponent(() => import('./FreezeForm'), 'FreezeForm');
const WindowForm = lazyComponent(() => import('./WindowForm'), 'WindowForm');

type Editing = { list: 'maintenance_windows' | 'freezes'; at: number };

/** When, in which direction and by whose hand resources may be changed. */
export function ChangeControlPage() {
  const { data, error, refetch } = useQuery(guardrailsQuery);
  const may = useMay();
  const [editing, setEditing] = useState<Editing | null>(null);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={360} radius="lg" />;
  const configure = may('intelligence.configure');
  const { maintenance_windows: windows, freezes } = policyOf(data);
  const edit = configure
    ? (list: Editing['list']) => (at: number) => setEditing({ list, at })
    : undefined;
  return (
    <Stack gap="lg">
      <Now windows={windows} freezes={freezes} />
      <Panel
        title="Maintenance windows"
        note="Restarts run only inside these windows"
        flush={windows.length > 0}
        actions={
          configure && (
            <Button
              variant="default"
              leftSection={<IconCalendarPlus size={16} />}
              onClick={() => setEditing({ list: 'maintenance_windows', at: windows.length })}
            >
              Add window
            </Button>
          )
        }
      >
        {windows.length === 0 ? (
          <Text size="sm" className="muted">
            None. What interrupts a resource may begin at any time; a window says when it may, for
            all of the estate or for some accounts and services.
          </Text>
        ) : (
          <WindowTable of={data} onEdit={edit?.('maintenance_windows')} />
        )}
      </Panel>
      <Panel
        title="Change freezes"
        note="Block all changes to the covered resources, by people and by agents"
        flush={freezes.length > 0}
        actions={
          configure && (
            <Button
              variant="default"
              leftSection={<IconCalendarOff size={16} />}
              onClick={() => setEditing({ list: 'freezes', at: freezes.length })}
            >
              Add freeze
            </Button>
          )
        }
      >
        {freezes.length === 0 ? (
          <Text size="sm" className="muted">
            No change freezes. Use one for a launch or the end of the year; it ends automatically.
          </Text>
        ) : (
          <FreezeTable of={data} onEdit={edit?.('freezes')} />
        )}
      </Panel>
      <Rules key={data.version} of={data} locked={!configure} />
      {editing?.list === 'maintenance_windows' && (
        <WindowForm of={data} at={editing.at} onClose={() => setEditing(null)} />
      )}
      {editing?.list === 'freezes' && (
        <FreezeForm of={data} at={editing.at} onClose={() => setEditing(null)} />
      )}
    </Stack>
  );
}

/** What holds at this moment, in one sentence each. */
function Now({ windows, freezes }: { windows: MaintenanceWindow[]; freezes: Freeze[] }) {
  const now = useNow();
  const holding = freezes.filter((freeze) => freezeState(freeze, now) === 'holds');
  const open = windows.filter((window) => {
    const next = opening(window, now);
    return next && next.from.getTime() <= now;
  });
  if (holding.length > 0) {
    return (
      <Alert
        color="indigo"
        icon={<IconLock size={18} />}
        title={`${plural(holding.length, 'change freeze', 'change freezes')} hold${holding.length === 1 ? 's' : ''} now`}
      >
        {holding.map((freeze) => (
          <Text size="sm" key={freeze.name}>
            “{freeze.name}” until {fullTime(freeze.until)}
          </Text>
        ))}
      </Alert>
    );
  }
  const closed = windows.length > 0 && open.length === 0;
  return (
    <Alert
      color={closed ? 'yellow' : 'petrol'}
      variant="light"
      icon={<IconLockOpen size={18} />}
      title="No active freeze"
    >
      <Text size="sm">
        {windows.length === 0 && 'Changes may begin at any time, within the '}
        {open.length > 0 &&
          `Open now: ${open.map(({ name }) => `“${name}”`).join(', ')}. Changes may begin within the `}
        {closed &&
          'No maintenance window is open: what interrupts a covered resource waits. Everything else may begin within the '}
        <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/guardrails" {...props} />}>
          guardrails
        </Anchor>
        .
      </Text>
    </Alert>
  );
}

const DIRECTIONS = [
  { value: 'both', label: 'Both ways', description: 'Capacity may grow and shrink' },
  {
    value: 'up_only',
    label: 'Up only',
    description: 'Capacity may grow; nothing is made smaller or stopped',
  },
  {
    value: 'down_only',
    label: 'Down only',
    description: 'Capacity may shrink; nothing is made larger',
  },
];
const CODE = [
  {
    value: 'patch',
    label: 'Leave it alone, offer a patch',
    description: 'What Terraform, CloudFormation or Pulumi owns is changed in their code',
  },
  {
    value: 'allow',
    label: 'Let people change it',
    description: 'People can still apply changes; agents cannot',
  },
];

function Rules({ of: guardrails, locked }: { of: Guardrails; locked: boolean }) {
  const policy = policyOf(guardrails);
  const [direction, setDirection] = useState(policy.direction);
  const [code, setCode] = useState(policy.infrastructure_as_code);
  const save = useChange(setGuardrails);
  const dirty = direction !== policy.direction || code !== policy.infrastructure_as_code;
  useUnsavedWarning(dirty && !save.isPending && !save.isSuccess);
  const send = () =>
    save.mutate(withPolicy(guardrails, { direction, infrastructure_as_code: code }), {
      onSuccess: () => announce('Policy saved.'),
    });
  const choices = (list: typeof CODE) => (
    <Stack gap={10} mt={8}>
      {list.map((one) => (
        <Radio key={one.value} {...one} disabled={locked} />
      ))}
    </Stack>
  );
  return (
    <Panel
      title="Direction and code"
      note={locked ? 'Only operators and administrators can change this' : undefined}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Radio.Group
            label="Direction of capacity"
            description="The tag reeve:direction of a resource overrides this"
            value={direction}
            onChange={setDirection}
          >
            {choices(DIRECTIONS)}
          </Radio.Group>
          <Radio.Group
            label="Resources managed by infrastructure as code"
            description="Known by its tags"
            value={code}
            onChange={setCode}
          >
            {choices(CODE)}
          </Radio.Group>
        </SimpleGrid>
        <ProblemAlert error={save.error} />
        {!locked && (
          <Group>
            <Button disabled={!dirty} loading={save.isPending} onClick={send}>
              Save policy
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
