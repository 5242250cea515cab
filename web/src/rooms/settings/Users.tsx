import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core';
import { IconEdit, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { User } from '../../api/bodies';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { day } from '../../display/instants';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { words } from '../../display/wording';
import { Remove } from '../../display/Remove';
import { removeUser, teamsQuery, usersQuery } from './queries';

const UserForm = lazyComponent(() => import('./UserForm'), 'UserForm');

export function Users() {
  const users = useQuery(usersQuery);
  const teams = useQuery(teamsQuery);
  const [editing, setEditing] = useState<User | 'new' | null>(null);
  const columns = useMemo((): Column<User>[] => {
    const names = new Map(teams.data?.items.map(({ id, name }) => [id, name]));
    return [
      {
        id: 'name',
        header: 'User',
        sortBy: (row) => row.name,
        cell: (row) => (
          <>
            <Text size="sm" fw={550}>
              {row.name}
            </Text>
            <Text size="xs" className="muted">
              {row.email}
            </Text>
          </>
        ),
      },
      {
        id: 'roles',
        header: 'Roles',
        cell: (row) => (
          <Group gap={4}>
            {row.roles.map((role) => (
              <Badge key={role} color="gray">
                {words(role)}
              </Badge>
            ))}
          </Group>
        ),
      },
      {
        id: 'teams',
        header: 'Teams',
        cell: (row) => row.teams.map((id) => names.get(id) ?? id).join(', '),
      },
      {
        id: 'active',
        header: 'Status',
        sortBy: (row) => Number(row.active),
        cell: (row) => <Status of={row.active ? 'active' : 'disabled'} />,
      },
      {
        id: 'ends',
        header: 'Access ends',
        sortBy: (row) => row.expires_at ?? '',
        cell: (row) => (row.expires_at ? day(row.expires_at) : ''),
      },
      {
        id: 'created',
        header: 'Since',
        sortBy: (row) => row.created_at,
        cell: (row) => day(row.created_at),
      },
      {
        id: 'do',
        header: '',
        align: 'right',
        cell: (row) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <ActionIcon aria-label={`Change ${row.name}`} onClick={() => setEditing(row)}>
              <IconEdit size={16} />
            </ActionIcon>
            <Remove
              room="settings"
              what={row.name}
              explain="The user can no longer sign in. What they did stays in the log."
              remove={() => removeUser(row.id)}
            />
          </Group>
        ),
      },
    ];
  }, [teams.data]);
  return (
    <Page
      title="Users"
      description="Who may sign in, and in which roles."
      actions={
        <Button leftSection={<IconUserPlus size={16} />} onClick={() => setEditing('new')}>
          Add user
        </Button>
      }
    >
      {users.error ? (
        <ProblemAlert error={users.error} onRetry={() => void users.refetch()} />
      ) : (
        <DataTable
          label="Users"
          columns={columns}
          rows={users.data?.items}
          rowId={(row) => row.id}
          pageSize={50}
          empty={
            <EmptyState title="No users yet">
              Add a user with an e-mail address, a password and a role.
            </EmptyState>
          }
        />
      )}
      {editing && (
        <UserForm
          user={editing === 'new' ? undefined : editing}
          teams={teams.data?.items ?? []}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}
