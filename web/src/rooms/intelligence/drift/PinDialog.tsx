import { MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../../api/session';
import { fieldMessages } from '../../../api/problem';
import { count } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { connectionsQuery, kindsQuery } from '../../estate/queries';
import { useChange } from '../queries';
import { readTags } from './forms';
import { pinBaseline } from './queries';

/** Pins the configuration of a scope as it is now. */
export function PinDialog({ onClose }: { onClose: () => void }) {
  const may = useMay();
  const connections = useQuery({ ...connectionsQuery, enabled: may('estate.view') });
  const kinds = useQuery({ ...kindsQuery, enabled: may('estate.view') });
  const pin = useChange(pinBaseline);
  const form = useForm({
    initialValues: {
      name: '',
      description: '',
      connections: [] as string[],
      kinds: [] as string[],
      tags: '',
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit(({ name, description, tags, ...scope }) => {
    pin.mutate(
      {
        name: name.trim(),
        description: description.trim(),
        scope: { ...scope, tags: readTags(tags) },
      },
      {
        onSuccess: ({ resources }) => {
          announce(`Pinned ${count(resources)} resources. The next sync compares what changed.`);
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title="Pin a baseline"
      submit="Pin"
      error={pin.error}
      marked={['name', 'description']}
      pending={pin.isPending}
      onSubmit={submit}
      onClose={onClose}
      explain="The configuration of these resources as it is now becomes what later syncs are compared with. All conditions must match."
    >
      <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <MultiSelect
        label="Connections"
        placeholder={form.values.connections.length > 0 ? undefined : 'All'}
        data={connections.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        {...form.getInputProps('connections')}
      />
      <MultiSelect
        label="Types of resources"
        placeholder={form.values.kinds.length > 0 ? undefined : 'All'}
        searchable
        data={kinds.data?.items.map(({ type, title }) => ({ value: type, label: title })) ?? []}
        {...form.getInputProps('kinds')}
      />
      <TextInput
        label="Tags"
        description="Such as env=prod, separated by commas"
        placeholder="Any"
        {...form.getInputProps('tags')}
      />
    </FormDialog>
  );
}
