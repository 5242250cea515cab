import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { IconEdit, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Team } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { FormDialog } from '../../display/FormDialog';
import { day } from '../../display/instants';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Remove } from '../../display/Remove';
import { createTeam, removeTeam, renameTeam, teamsQuery, useChange } from './queries';

export function Teams() {
  const { data, error, refetch } = useQuery(teamsQuery);
  const [editing, setEditing] = useState<Team | 'new' | null>(null);
  const columns = useMemo(
    (): Column<Team>[] => [
      {
        id: 'name',
        header: 'Team',
        sortBy: (row) => row.name,
        cell: (row) => (
          <Text size="sm" fw={550} style={{ whiteSpace: 'nowrap' }}>
            {row.name}
          </Text>
        ),
      },
      {
        id: 'members',
        header: 'Members',
        cell: (row) => (
          <div className={row.members.length ? undefined : 'muted'}>
            {row.members.join(', ') || 'None yet; add them under Users'}
          </div>
        ),
      },
      {
        id: 'created',
        header: 'Since',
        sortBy: (row) => row.created_at,
        cell: (row) => <span style={{ whiteSpace: 'nowrap' }}>{day(row.created_at)}</span>,
      },
      {
        id: 'do',
        header: '',
        align: 'right',
        cell: (row) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <ActionIcon aria-label={`Rename ${row.name}`} onClick={() => setEditing(row)}>
              <IconEdit size={16} />
            </ActionIcon>
            <Remove
              room="settings"
              what={row.name}
              explain="Members keep their accounts. Managers lose access to the entries of this team."
              remove={() => removeTeam(row.id)}
            />
          </Group>
        ),
      },
    ],
    [],
  );
  return (
    <Page
      title="Teams"
      description="Managers see the audit log entries of their team."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
          Add team
        </Button>
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Teams"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={50}
          empty={
            <EmptyState title="No teams yet">
              Add a team, then put users into it under Users.
            </EmptyState>
          }
        />
      )}
      {editing && (
        <TeamForm team={editing === 'new' ? undefined : editing} onClose={() => setEditing(null)} />
      )}
    </Page>
  );
}

function TeamForm({ team, onClose }: { team?: Team; onClose: () => void }) {
  const [name, setName] = useState(team?.name ?? '');
  const create = useChange(createTeam);
  const rename = useChange(renameTeam);
  const change = team ? rename : create;
  const save = () => {
    if (team) rename.mutate({ id: team.id, name: name.trim() }, { onSuccess: onClose });
    else create.mutate({ name: name.trim() }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={team ? `Rename ${team.name}` : 'Add a team'}
      submit={team ? 'Save' : 'Add team'}
      error={change.error}
      marked={['name']}
      pending={change.isPending}
      disabled={name.trim() === ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldMessages(change.error).name}
      />
    </FormDialog>
  );
}
