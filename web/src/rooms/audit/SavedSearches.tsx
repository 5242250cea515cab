import { ActionIcon, Badge, Button, Group, Menu, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBookmark, IconBookmarkPlus, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SavedSearch } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import type { SearchFilters } from '../../addresses';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Hint } from '../../display/Hint';
import { ProblemAlert } from '../../display/ProblemAlert';
import { addressOf, changeSaved, createSaved, keptOf, removeSaved, savedQuery, useSavedChange } from './saved';

const SHARES = [{ value: 'private', label: 'Only me' }, { value: 'team', label: 'My teams' }, { value: 'everyone', label: 'Everyone' }];
const SHARED_WITH: Record<string, string> = { team: 'Teams', everyone: 'Everyone' };

interface Props {
  filters: SearchFilters;
  onOpen: (filters: SearchFilters) => void;
}

/** Searches that were kept: open, keep this one, rename, share, remove. */
export function SavedSearches({ filters, onOpen }: Props) {
  const saved = useQuery(savedQuery);
  const [editing, setEditing] = useState<SavedSearch | 'new' | undefined>();
  const [removing, setRemoving] = useState<SavedSearch | undefined>();
  const [open, setOpen] = useState(false);
  const items = saved.data?.items ?? [];
  // The menu lies above dialogs: it must be gone before one opens.
  const choose = (act: () => void) => {
    setOpen(false);
    act();
  };
  return (
    <>
      <Menu position="bottom-end" width={340} withinPortal shadow="md" opened={open} onChange={setOpen}>
        <Menu.Target><Button variant="default" leftSection={<IconBookmark size={16} />}>Saved searches</Button></Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }} maw="94vw">
          <Menu.Item leftSection={<IconBookmarkPlus size={16} />} onClick={() => setEditing('new')}>Save this search</Menu.Item>
          <Menu.Divider />
          {saved.error && <ProblemAlert error={saved.error} onRetry={() => void saved.refetch()} />}
          {saved.data && items.length === 0 && <Text size="sm" className="muted" p="xs">None yet. A saved search keeps the query, the filters and the period; whoever opens it sees what they may see.</Text>}
          {items.map((one) => (
            <Group key={one.id} gap={2} wrap="nowrap">
              <Menu.Item style={{ flex: 1, minWidth: 0 }} onClick={() => onOpen(addressOf(one))}>
                <Group gap={6} wrap="nowrap">
                  <Text size="sm" truncate title={one.description || one.query}>{one.name}</Text>
                  {SHARED_WITH[one.shared_with] && <Badge size="xs" color="gray">{SHARED_WITH[one.shared_with]}</Badge>}
                </Group>
                <Text size="xs" className="muted" truncate>{one.own ? one.query || 'Filters only' : `By ${one.owner_name}`}</Text>
              </Menu.Item>
              {one.own && <Hint label="Rename or share"><ActionIcon aria-label={`Change ${one.name}`} onClick={() => choose(() => setEditing(one))}><IconPencil size={15} /></ActionIcon></Hint>}
              {one.own && <Hint label="Remove"><ActionIcon aria-label={`Remove ${one.name}`} onClick={() => choose(() => setRemoving(one))}><IconTrash size={15} /></ActionIcon></Hint>}
            </Group>
          ))}
        </Menu.Dropdown>
      </Menu>
      {removing && <RemoveSaved saved={removing} onClose={() => setRemoving(undefined)} />}
      {editing && <SavedForm saved={editing === 'new' ? undefined : editing} filters={filters} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function RemoveSaved({ saved, onClose }: { saved: SavedSearch; onClose: () => void }) {
  const remove = useSavedChange(removeSaved);
  return (
    <FormDialog
      title={`Remove “${saved.name}”?`} submit="Remove search" colour="red" error={remove.error} pending={remove.isPending} onClose={onClose}
      explain={`${saved.shared_with === 'private' ? 'Deletes the search.' : 'Deletes the search for everyone it is shared with.'} Entries are not deleted.`}
      onSubmit={() => remove.mutate(saved.id, { onSuccess: onClose })}
    />
  );
}

function SavedForm({ saved, filters, onClose }: { saved: SavedSearch | undefined; filters: SearchFilters; onClose: () => void }) {
  const save = useSavedChange(async (values: { name: string; description: string; shared_with: string }) =>
    saved ? changeSaved({ id: saved.id, version: saved.version, ...values }) : createSaved({ ...values, ...keptOf(filters) }));
  const form = useForm({
    initialValues: { name: saved?.name ?? '', description: saved?.description ?? '', shared_with: saved?.shared_with ?? 'private' },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit((values) => {
    save.mutate({ ...values, name: values.name.trim() }, {
      onSuccess: ({ name }) => {
        announce(`“${name}” is saved`);
        onClose();
      },
      onError: (error) => form.setErrors(fieldMessages(error)),
    });
  });
  return (
    <FormDialog
      title={saved ? 'Change the saved search' : 'Save this search'} submit="Save"
      error={save.error} marked={['name', 'description']} pending={save.isPending}
      onSubmit={submit} onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus maxLength={100} {...form.getInputProps('name')} />
      <Textarea label="Purpose" autosize minRows={2} maxLength={1000} {...form.getInputProps('description')} />
      <div>
        <Text size="sm" fw={500} mb={4} id="saved-shared-with">Who sees it</Text>
        <SegmentedControl fullWidth data={SHARES} aria-labelledby="saved-shared-with" {...form.getInputProps('shared_with')} />
        <Text size="xs" className="muted" mt={4}>Shares only the query. Each person sees the entries that their role allows.</Text>
      </div>
    </FormDialog>
  );
}
