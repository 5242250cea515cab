import { MultiSelect, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Team, User } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { fromInput, toInput } from '../../display/instants';
import { options } from '../../display/wording';
import { changeUser, createUser, ROLES, useChange } from './queries';

const MARKED = ['email', 'name', 'roles', 'teams', 'password', 'expires_at'];

export function UserForm({
  user,
  teams,
  onClose,
}: {
  user?: User;
  teams: Team[];
  onClose: () => void;
}) {
  const create = useChange(createUser);
  const patch = useChange(changeUser);
  const change = user ? patch : create;
  const form = useForm({
    initialValues: {
      email: user?.email ?? '',
      name: user?.name ?? '',
      roles: user?.roles ?? ['regular_user'],
      teams: user?.teams ?? [],
      password: '',
      active: user?.active ?? true,
      expires_at: user?.expires_at ? toInput(new Date(user.expires_at)) : '',
    },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter an e-mail address'),
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      roles: (value) => (value.length === 0 ? 'Choose at least one role' : null),
    },
  });
  const submit = form.onSubmit(({ email, password, active, expires_at, ...rest }) => {
    const end = fromInput(expires_at);
    const done = {
      onSuccess: () => {
        announce(user ? 'User changed.' : 'User added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    // An end that was not touched is not sent: one that has passed would be refused.
    const touched = form.isDirty('expires_at');
    if (user)
      patch.mutate(
        {
          id: user.id,
          ...rest,
          active,
          password: password || undefined,
          ...(touched && { expires_at: end ?? null }),
        },
        done,
      );
    else
      create.mutate(
        { ...rest, email: email.trim(), password: password || undefined, expires_at: end },
        done,
      );
  });
  return (
    <FormDialog
      title={user ? `Change ${user.name}` : 'Add a user'}
      submit={user ? 'Save' : 'Add user'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="E-mail address"
        type="email"
        required
        readOnly={Boolean(user)}
        variant={user ? 'filled' : 'default'}
        {...form.getInputProps('email')}
      />
      <MultiSelect label="Roles" required data={options(ROLES)} {...form.getInputProps('roles')} />
      <MultiSelect
        label="Teams"
        data={teams.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={teams.length ? undefined : 'No teams yet'}
        {...form.getInputProps('teams')}
      />
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        description={user ? 'Empty: unchanged' : 'Empty: signs in with API tokens only'}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <TextInput
        label="Access ends"
        description="Your time zone. Leave empty for no end"
        type="datetime-local"
        {...form.getInputProps('expires_at')}
      />
      {user && (
        <Switch label="May sign in" {...form.getInputProps('active', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
