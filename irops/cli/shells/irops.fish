# Completion of irops for fish 3.

function __irops_in # whether the command is one of these
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

function __irops_at -a command place # whether an argument of a command is at a place; then options with values
    set -l words (commandline -opc)
    test "$words[2]" = $command; or return 1
    set -l count 0
    set -l option ''
    for word in $words[3..]
        if test -n "$option"; and not string match -q -- '-?*' $word
            set option ''
            continue
        end
        set option ''
        if string match -q -- '-*=*' $word
            continue
        else if string match -q -- '-?*' $word
            contains -- $word $argv[3..]; and set option $word
        else
            set count (math $count + 1)
        end
    end
    test $place = '*' -o $count = $place
end

function __irops_typed # the value before the cursor, without the name of its option
    commandline -ct | string replace -r -- '^--[^=]*=' ''
end

function __irops_paths # files of which the names end as given, and folders
    set -l endings '/' (string escape --style=regex -- $argv)
    __fish_complete_path (__irops_typed) | string match -r -- '^[^\t]*(?:'(string join '|' $endings)')(?:\t.*)?$'
end

function __irops_named_path # NAME=FILE
    set -l typed (__irops_typed)
    string match -q -- '*=*' $typed; or return
    set -l name (string replace -r -- '=.*$' '=' $typed)
    set -l endings '/' (string escape --style=regex -- $argv)
    __fish_complete_path (string replace -r -- '^[^=]*=' '' $typed) \
        | string match -r -- '^[^\t]*(?:'(string join '|' $endings)')(?:\t.*)?$' | string replace -r -- '^' $name
end

function __irops_words # words of a list, after others and a comma
    set -l before (__irops_typed | string match -r -- '^.*,')
    if test -n "$before"
        string replace -r -- '^' $before $argv
    else
        string join \n -- $argv
    end
end

function __irops_source
    set -l typed (__irops_typed)
    switch $typed
        case @prefixes@
            set -l prefix (string replace -r -- ':.*$' ':' $typed)
            __fish_complete_path (string replace -r -- '^[^:]*:' '' $typed) | string replace -r -- '^' $prefix
        case '*'
            __irops_sources
            __irops_paths .npz .npy
    end
end

@lists@

complete -c irops -f
complete -c irops -n __fish_is_first_token -a '(__irops_commands)'
complete -c irops -n __fish_is_first_token -s h -l help -d 'show this help message and exit'
complete -c irops -n __fish_is_first_token -l version -d 'show the version'
complete -c irops -n '__irops_at help 0' -a '(__irops_commands)'

@commands@
