import type { components } from '../../api/schema';
import { SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SavedSearch } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import type { SearchFilters } from '../../addresses';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { changeSaved, createSaved, keptOf, removeSaved, useSavedChange } from './saved';

const SHARES = [
  { value: 'private', label: 'Only me' },
  { value: 'team', label: 'My teams' },
  { value: 'everyone', label: 'Everyone' },
];

/** Asks before a saved search is removed. */
export function RemoveSaved({ saved, onClose }: { saved: SavedSearch; onClose: () => void }) {
  const remove = useSavedChange(removeSaved);
  return (
    <FormDialog
      title={`Remove “${saved.name}”?`}
      submit="Remove search"
      colour="red"
      error={remove.error}
      pending={remove.isPending}
      onClose={onClose}
      explain={`${saved.shared_with === 'private' ? 'Deletes the search.' : 'Deletes the search for everyone it is shared with.'} Entries are not deleted.`}
      onSubmit={() => remove.mutate(saved.id, { onSuccess: onClose })}
    />
  );
}

/** Name, purpose and readers of a saved search. */
export function SavedForm({
  saved,
  filters,
  onClose,
}: {
  saved: SavedSearch | undefined;
  filters: SearchFilters;
  onClose: () => void;
}) {
  const save = useSavedChange(
    async (values: {
      name: string;
      description: string;
      shared_with: components['schemas']['SavedSearchSharing'];
    }) =>
      saved
        ? changeSaved({ id: saved.id, version: saved.version, ...values })
        : createSaved({ ...values, ...keptOf(filters) }),
  );
  const form = useForm({
    initialValues: {
      name: saved?.name ?? '',
      description: saved?.description ?? '',
      shared_with: saved?.shared_with ?? 'private',
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit((values) => {
    save.mutate(
      { ...values, name: values.name.trim() },
      {
        onSuccess: ({ name }) => {
          announce(`“${name}” is saved`);
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title={saved ? 'Change the saved search' : 'Save this search'}
      submit="Save"
      error={save.error}
      marked={['name', 'description']}
      pending={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <Textarea
        label="Purpose"
        autosize
        minRows={2}
        maxLength={1000}
        {...form.getInputProps('description')}
      />
      <div>
        <Text size="sm" fw={500} mb={4} id="saved-shared-with">
          Who sees it
        </Text>
        <SegmentedControl
          fullWidth
          data={SHARES}
          aria-labelledby="saved-shared-with"
          {...form.getInputProps('shared_with')}
        />
        <Text size="xs" className="muted" mt={4}>
          Shares only the query. Each person sees the entries that their role allows.
        </Text>
      </div>
    </FormDialog>
  );
}
